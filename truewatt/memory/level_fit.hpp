#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/uncertainty/budget.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::memory {

/// One run of a loop, and all that it did.
struct FitRun {
  std::string kernel;
  uncertainty::Budget joules;  ///< above idle and above spinning
  double seconds = 0.0;
  /// What else it did, by column: passes of all threads through a kind of loop, LOP3 beside loads.
  std::vector<double> beside;
  std::vector<double> sectors;  ///< by column: a level for an operation and its data
};

/// Joules of each.
struct LevelFit {
  /// By column; absent where no run has any.
  std::vector<std::optional<uncertainty::Budget>> beside_j;
  /// Path of a sector by column; absent where no run has one, or where the data cannot tell.
  std::vector<std::optional<uncertainty::Budget>> sector_j;
  std::vector<bool> not_positive;  ///< by column: held at 0
  double r_squared = 0.0;          ///< of powers
  std::vector<Residual> residuals;
};

/// Fits all runs together (docs/method.md, section 15): a run's energy is the sum of its passes,
/// its LOP3 and its sectors times what each costs (Delestrac et al. 2024, Eqs. 3 and 4). Runs count
/// as shares of their own energies; all have as many columns. Sectors cost nothing at least: the
/// column that comes out most negative is held at 0 and the fit repeated. Errors:
/// insufficient_data, ill_conditioned. Pure.
Result<LevelFit> fit_levels(std::span<const FitRun> runs);

}  // namespace truewatt::memory
