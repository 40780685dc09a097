#include "truewatt/numerics/line_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::numerics {
Uncertain LineFit::at(double x) const {
  return {center_y + slope * (x - center_x), quadrature({center_sd, slope_sd * (x - center_x)})};
}

Result<LineFit> fit_line(std::span<const double> x, std::span<const double> y, double known_sd) {
  assert(x.size() == y.size());
  if (x.size() < 2) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("a line needs two points, there are {}", x.size()));
  }
  LineFit fit{.center_x = mean(x), .center_y = mean(y), .points = x.size()};
  double sxx = 0.0;
  double sxy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sxx += (x[i] - fit.center_x) * (x[i] - fit.center_x);
    sxy += (x[i] - fit.center_x) * (y[i] - fit.center_y);
  }
  if (!(sxx > 0.0)) {
    return Unexpected(Errc::ill_conditioned, "all points of the line have the same x");
  }
  fit.slope = sxy / sxx;
  double squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = y[i] - fit.center_y - fit.slope * (x[i] - fit.center_x);
    squares += residual * residual;
  }
  const auto n = static_cast<double>(x.size());
  fit.residual_sd = n > 2 ? std::sqrt(squares / (n - 2)) : 0.0;
  const double sd = std::max(fit.residual_sd, known_sd);
  fit.center_sd = sd / std::sqrt(n);
  fit.slope_sd = sd / std::sqrt(sxx);
  return fit;
}

double student_widening(double degrees_of_freedom) {
  const boost::math::students_t t(std::max(1.0, degrees_of_freedom));
  return boost::math::quantile(t, 0.975) / kCoverageFactor95;
}

}  // namespace truewatt::numerics
