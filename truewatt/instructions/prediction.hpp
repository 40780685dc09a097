#pragma once

#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/instructions/ptx_text.hpp"
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
  std::string kernel;       ///< empty: counts alone
  bool one_thread = false;  ///< each instruction of the code once, as one thread without loops
  Interval energy_j;
  std::vector<PredictedPart> parts;    ///< largest first
  Counts missing;                      ///< what the table does not hold, and counts
  double covered = 0.0;                ///< share of the executed instructions that the table holds
  std::vector<std::string> uncounted;  ///< in the kernel's code, without a count
};

/// Sums the table over counts of PTX instructions or machine opcodes, thread-level (docs/method.md,
/// section 14). Errors of baselines add up, those of the rows alone add in quadrature
/// (InstructionCosts). Pure.
Prediction predict(const Table& table, const Counts& counts);

}  // namespace truewatt::instructions
