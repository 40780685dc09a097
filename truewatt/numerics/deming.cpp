#include "truewatt/numerics/deming.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace truewatt::numerics {
namespace {

struct Sums {
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
};

Sums sums_around(const LineFit& center, std::span<const double> x, std::span<const double> y) {
  Sums sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - center.center_x;
    const double dy = y[i] - center.center_y;
    sums.xx += dx * dx;
    sums.xy += dx * dy;
    sums.yy += dy * dy;
  }
  return sums;
}

/// The root of var_x xy b^2 + (var_y xx - var_x yy) b - var_y xy = 0 that has the sign of xy,
/// written so that var_x = 0 is no exception.
double slope_of(const Sums& sums, const ErrorVariances& errors) {
  const double half = 0.5 * (errors.y * sums.xx - errors.x * sums.yy);
  const double root = std::sqrt(half * half + errors.x * errors.y * sums.xy * sums.xy);
  if (half >= 0.0) return errors.y * sums.xy / (half + root);
  return (root - half) / (errors.x * sums.xy);
}

double squared_residuals(const LineFit& fit, std::span<const double> x, std::span<const double> y) {
  double squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - fit.center_y - fit.slope * (x[i] - fit.center_x);
    squares += residual * residual;
  }
  return squares;
}

}  // namespace

Result<LineFit> fit_deming(std::span<const double> x, std::span<const double> y,
                           ErrorVariances errors, double known_sd) {
  assert(errors.x >= 0.0 && errors.y >= 0.0 && errors.x + errors.y > 0.0);
  auto fit = fit_line(x, y, known_sd);
  if (!fit) return fit;
  const Sums sums = sums_around(*fit, x, y);
  if (sums.xy == 0.0) {
    return Unexpected(Errc::ill_conditioned, "x and y of the line have nothing in common");
  }
  // Without errors in y the line is that of x on y.
  fit->slope = errors.y > 0.0 ? slope_of(sums, errors) : sums.yy / sums.xy;
  const double squares = squared_residuals(*fit, x, y);
  const auto n = static_cast<double>(x.size());
  fit->residual_sd = n > 2 ? std::sqrt(squares / (n - 2)) : 0.0;
  const double sd = std::max(fit->residual_sd, known_sd);
  fit->center_sd = sd / std::sqrt(n);
  fit->slope_sd = sd / std::sqrt(sums.xx);
  return fit;
}

}  // namespace truewatt::numerics
