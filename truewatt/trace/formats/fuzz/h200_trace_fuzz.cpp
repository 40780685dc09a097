#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/h200_trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace truewatt::trace;
  const auto trace = parse_h200_trace(as_text(data, size));
  if (trace) require_sound(trace->recording);
  return 0;
}
