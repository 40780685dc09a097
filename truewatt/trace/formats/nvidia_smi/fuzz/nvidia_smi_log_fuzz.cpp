#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"
#include "truewatt/trace/formats/stamps/utc_alignment.hpp"

using namespace truewatt::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto log = parse_nvidia_smi_log(as_text(data, size));
  if (!log) return 0;
  for (const auto& recording : log->recordings) require_sound(recording);
  const truewatt::DriverTime run(std::chrono::seconds(1'689'325'828));
  const truewatt::DriverTime edges[] = {run, run + std::chrono::seconds(6)};
  const auto offset = align_utc_offset(log->recordings, edges);
  if (offset) require(*offset >= kLowestUtcOffset && *offset <= kHighestUtcOffset, "offset");
  return 0;
}
