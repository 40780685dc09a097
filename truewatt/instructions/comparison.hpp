#pragma once

#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// One row of two tables: joules above idle with a context.
struct ComparedRow {
  RowKey key;
  Interval energy_j;
  Interval other_j;
  Interval ratio;  ///< energy_j / other_j
};

/// A table's rows beside those of another, where both have a number. Their errors are independent:
/// relative ones add in quadrature. Pure.
std::vector<ComparedRow> compare_tables(const Table& table, const Table& other);

}  // namespace truewatt::instructions
