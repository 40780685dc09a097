// Fuzz target of kept tables of memory: any text gives a table whose numbers are finite and whose
// valid rows have one, or an error that names the origin.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "truewatt/memory/table_file.hpp"

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = truewatt::memory::parse_table(text, "fuzz.json");
  if (!table) {
    require(table.error().message.starts_with("fuzz.json"));
    return 0;
  }
  for (const auto& row : table->levels) {
    require(!row.valid || row.sector_j.has_value());
    if (row.sector_j) require(std::isfinite(row.sector_j->upper - row.sector_j->lower));
  }
  return 0;
}
