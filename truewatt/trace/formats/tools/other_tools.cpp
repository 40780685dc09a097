#include "truewatt/trace/formats/tools/other_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace truewatt::trace {
namespace {

struct OtherTool {
  std::vector<std::string_view> signs;  ///< all are there
  std::string_view what;
};

/// The names that the tools themselves write.
const OtherTool kOtherTools[] = {
    {{"window_name", "elapsed_time", "_energy"},
     "a log of ZeusMonitor: an energy for each window and no readings"},
    {{"emissions_rate", "gpu_energy"},
     "a CodeCarbon summary: an energy for each run and no readings"},
    {{"<nvidia_smi_log>"}, "the XML of nvidia-smi -x"},
    {{"| NVIDIA-SMI "}, "the table of nvidia-smi without options: one moment"},
    {{"# HELP DCGM_FI_DEV"}, "metrics of dcgm-exporter: one moment and no time"},
};

}  // namespace

std::optional<Error> recognise_other_tool(std::string_view start) {
  for (const OtherTool& tool : kOtherTools) {
    const bool is_it = std::all_of(
        tool.signs.begin(), tool.signs.end(),
        [&](std::string_view sign) { return start.find(sign) != std::string_view::npos; });
    if (!is_it) continue;
    return Error{Errc::parse,
                 fmt::format("this is {}; record readings with nvidia-smi "
                             "--query-gpu=timestamp,index,power.draw --format=csv -lms 100, or "
                             "measure with truewatt run -- COMMAND",
                             tool.what)};
  }
  return std::nullopt;
}

}  // namespace truewatt::trace
