#include <cstddef>
#include <cstdint>
#include <string_view>

#include "truewatt/instructions/prediction.hpp"
#include "truewatt/instructions/table_file.hpp"

/// Any bytes are a table or an error, and what is a table can be summed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = truewatt::instructions::parse_table(text, "fuzz.json");
  if (!table) return 0;
  truewatt::instructions::predict(*table, {.counts = {{"FFMA", 1e9}, {"add.s32", 1e9}}});
  return 0;
}
