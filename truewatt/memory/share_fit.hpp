#pragma once

#include <span>
#include <vector>

#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::memory {

/// Joules of each of what runs did: `amounts` by column, then by run. Runs count as shares of
/// `wholes`, so that how they scatter is one figure for long and short ones. They scatter as all
/// residuals tell, which are too many for runs that agree by chance to end them early. Errors:
/// those of uncertainty::regress(). Pure.
Result<std::vector<uncertainty::Budget>> fit_shares(const std::vector<std::vector<double>>& amounts,
                                                    std::span<const uncertainty::Budget> joules,
                                                    std::span<const double> wholes);

/// R² of what was fitted to what was measured, run by run. Pure.
double r_squared_of(std::span<const double> measured, std::span<const double> fitted);

}  // namespace truewatt::memory
