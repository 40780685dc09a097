#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_query.hpp"

using namespace truewatt::trace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto log = parse_nvidia_smi_query(as_text(data, size));
  if (!log) return 0;
  for (const auto& recording : log->recordings) require_sound(recording);
  return 0;
}
