#include "truewatt/instructions/comparison.hpp"

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::instructions {
namespace {

Interval ratio_of(const Interval& a, const Interval& b) {
  const double ratio = a.value / b.value;
  const double relative =
      numerics::quadrature({half_width_of(a) / a.value, half_width_of(b) / b.value});
  return {ratio, ratio * (1 - relative), ratio * (1 + relative)};
}

}  // namespace

std::vector<ComparedRow> compare_tables(const Table& table, const Table& other) {
  std::vector<ComparedRow> rows;
  for (const Row& row : table.rows) {
    const Row* match = find_row(other, row.key);
    if (!row.valid || match == nullptr || !match->valid) continue;
    rows.push_back(
        {row.key, *row.dynamic_j, *match->dynamic_j, ratio_of(*row.dynamic_j, *match->dynamic_j)});
  }
  return rows;
}

}  // namespace truewatt::instructions
