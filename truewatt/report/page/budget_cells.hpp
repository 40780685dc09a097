#pragma once

#include <span>
#include <string>

#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::report {

/// Of all terms together.
double variance_of(std::span<const uncertainty::Term> budget);

/// A term's share of it, "12.3 %"; "" where there is no variance.
std::string share_of_variance(const uncertainty::Term& term, double variance);

}  // namespace truewatt::report
