#include "truewatt/memory/results.hpp"

#include <algorithm>

namespace truewatt::memory {

std::string_view to_string(Level level) {
  switch (level) {
    case Level::shared:
      return "shared";
    case Level::l1:
      return "l1";
    case Level::l2:
      return "l2";
    case Level::dram:
      break;
  }
  return "dram";
}

std::string all_details(const LevelRow& row) {
  const bool both = !row.detail.empty() && !row.shortfall.empty();
  return row.detail + (both ? "; " : "") + row.shortfall;
}

void add_reason(LevelRow& row, Reason reason) {
  if (std::find(row.reasons.begin(), row.reasons.end(), reason) == row.reasons.end()) {
    row.reasons.push_back(reason);
  }
}

const LevelRow* find_row(const Table& table, const LevelKey& key) {
  const auto found = std::find_if(table.levels.begin(), table.levels.end(),
                                  [&](const LevelRow& row) { return row.key == key; });
  return found != table.levels.end() ? &*found : nullptr;
}

}  // namespace truewatt::memory
