#pragma once

#include <string>
#include <vector>

#include "truewatt/compare/results.hpp"

namespace truewatt::report {

/// `3.52 % ± 0.41 % more`, `26 times (21 to 33) as much`.
std::string ratio_words(const energy::EnergyRatio& ratio);

/// What can be said of B against A; needs a ratio.
std::string verdict_sentence(const compare::EnergyComparison& comparison);

/// Whether the sensors' gains are in the ratio, which there must be.
std::string gain_sentence(const compare::EnergyComparison& comparison);

/// Budget of a ratio by term: name, type, relative standard uncertainty, share of the variance.
std::vector<std::vector<std::string>> ratio_budget_cells(const energy::EnergyRatio& ratio);

}  // namespace truewatt::report
