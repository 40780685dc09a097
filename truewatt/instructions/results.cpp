#include "truewatt/instructions/results.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::instructions {

void add_reason(Row& row, Reason reason) {
  if (std::find(row.reasons.begin(), row.reasons.end(), reason) == row.reasons.end()) {
    row.reasons.push_back(reason);
  }
}

std::optional<double> relative_half_width(const Row& row) {
  if (!row.dynamic_j || row.dynamic_j->value <= 0) return std::nullopt;
  return half_width_of(*row.dynamic_j) / row.dynamic_j->value;
}

const Row* find_row(const Table& table, const RowKey& key) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const Row& row) { return row.key == key; });
  return found == table.rows.end() ? nullptr : &*found;
}

}  // namespace truewatt::instructions
