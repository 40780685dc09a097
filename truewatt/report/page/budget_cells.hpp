#pragma once

#include <span>
#include <string>

#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::report {

/// Of all terms together.
double variance_of(std::span<const uncertainty::Term> budget);

/// The share of it of a term of u, "12.3 %"; "" where there is no variance.
std::string share_of_variance(double u, double variance);
/// The variance of the precision: without gain and offset.
double precision_variance_of(std::span<const uncertainty::Term> budget);
/// A term's share of that; "scale" where it is of gain or offset.
std::string share_of_precision(const uncertainty::Term& term, double precision_variance);

}  // namespace truewatt::report
