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

}  // namespace truewatt::report
