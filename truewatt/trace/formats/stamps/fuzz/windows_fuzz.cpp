#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/stamps/window_list.hpp"

using namespace truewatt::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto list = read_windows(as_text(data, size));
  if (!list) return 0;
  truewatt::Recording recording;
  recording.traces.emplace_back();
  recording.traces[0].samples.emplace_back();
  recording.clock_pairs.emplace_back();
  const auto windows = place_windows(*list, recording);
  require(windows.has_value() && !windows->empty(), "what was read can be placed");
  for (std::size_t i = 0; i < windows->size(); ++i) {
    require((*windows)[i].begin < (*windows)[i].end, "windows have a length");
  }
  return 0;
}
