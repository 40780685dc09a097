// Any text is a schedule within its limits or an error with a message.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "truewatt/load/fuzz/check_schedule.hpp"
#include "truewatt/load/level_trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  truewatt::load::check_schedule(truewatt::load::parse_level_trace(text));
  return 0;
}
