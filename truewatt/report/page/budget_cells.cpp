#include "truewatt/report/page/budget_cells.hpp"

#include <fmt/format.h>

namespace truewatt::report {

double variance_of(std::span<const uncertainty::Term> budget) {
  double variance = 0.0;
  for (const uncertainty::Term& term : budget) variance += term.u * term.u;
  return variance;
}

std::string share_of_variance(double u, double variance) {
  return variance > 0 ? fmt::format("{:.1f} %", 100 * u * u / variance) : "";
}

double precision_variance_of(std::span<const uncertainty::Term> budget) {
  const double u = uncertainty::part_of(
      budget, [](uncertainty::Cause cause) { return !uncertainty::is_scale(cause); });
  return u * u;
}

std::string share_of_precision(const uncertainty::Term& term, double precision_variance) {
  return uncertainty::is_scale(term.cause) ? "scale"
                                           : share_of_variance(term.u, precision_variance);
}

}  // namespace truewatt::report
