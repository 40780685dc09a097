// Any text is a schedule within its limits or an error with a message. Files are another target's:
// trace: is skipped so that the fuzzer does not open paths it makes up.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "truewatt/load/fuzz/check_schedule.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view spec(reinterpret_cast<const char*>(data), size);
  if (spec.starts_with("trace")) return 0;
  truewatt::load::check_schedule(truewatt::load::parse_schedule(spec, 1));
  return 0;
}
