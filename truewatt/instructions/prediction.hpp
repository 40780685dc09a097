#pragma once

#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/instructions/kernel_file.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// One instruction's part of a prediction.
struct PredictedPart {
  std::string name;
  double count = 0.0;
  Interval energy_j;
};

/// Energy of a kernel above idle with a context, from how often its threads execute what.
struct Prediction {
  KernelCounts of;
  kernels::Operands operands = kernels::Operands::random;  ///< whose rows it is by
  /// The sum, and `mixing_j`; absent where the table holds none of it.
  std::optional<Interval> energy_j;
  /// What mixed code draws beside its instructions; from 0 to what it may draw at most, and counted
  /// as 0, by a table that does not tell.
  Interval mixing_j;
  std::vector<PredictedPart> parts;  ///< largest first
  Counts missing;                    ///< what the table does not hold, and counts
  double covered = 0.0;              ///< share of the executed instructions that the table holds
};

/// Sums the table over counts of PTX instructions or machine opcodes, thread-level (docs/method.md,
/// section 14), by the rows of these operands. Errors of baselines add up, those of the rows alone
/// add in quadrature (InstructionCosts). Pure.
Prediction predict(const Table& table, KernelCounts executed,
                   kernels::Operands operands = kernels::Operands::random);

/// invalid_argument where all rows that have a number are of other operands: names them, and how to
/// predict by them.
Result<void> check_operands(const Table& table, kernels::Operands operands);

}  // namespace truewatt::instructions
