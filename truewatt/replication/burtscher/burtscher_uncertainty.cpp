#include "truewatt/replication/burtscher/burtscher_uncertainty.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "truewatt/numerics/bartlett.hpp"
#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::replication::burtscher {
namespace {

constexpr double kSharedFor = 1.5;  // C
constexpr double kStretch = 4.0;    // C
constexpr double kAbsolutes = M_PI / 2;
constexpr double kUnknowns = 3.0;

using Row = std::array<double, 3>;

/// What one reading has to do with the constant.
struct Influence {
  double weight = 0.0;     ///< s/W: by how much the constant moves with it
  double residual = 0.0;   ///< W
  double steepness = 0.0;  ///< W/s of the curve there
  double time_sd = 0.0;    ///< s
};

/// The row of the inverse of a symmetric matrix that belongs to its last unknown.
Row last_row_of_inverse(const std::array<Row, 3>& m) {
  const Row cofactors = {m[0][1] * m[1][2] - m[0][2] * m[1][1],
                         m[0][2] * m[0][1] - m[0][0] * m[1][2],
                         m[0][0] * m[1][1] - m[0][1] * m[0][1]};
  const double determinant =
      m[0][2] * cofactors[0] + m[1][2] * cofactors[1] + m[2][2] * cofactors[2];
  return {cofactors[0] / determinant, cofactors[1] / determinant, cofactors[2] / determinant};
}

std::vector<Influence> influences_of(Readings readings, const Capacitor& fit) {
  const double constant = fit.constant.value;
  const double height = fit.start_w - fit.end_w;
  std::vector<Row> slopes;  // to end, height and constant
  std::vector<Influence> influences;
  std::array<Row, 3> squares{};
  for (const ticks::Tick& tick : readings) {
    const double t = tick.time - fit.from;
    const double e = std::exp(-t / constant);
    slopes.push_back({1.0, e, height * e * t / (constant * constant)});
    influences.push_back(
        {0.0, tick.value - fit.end_w - height * e, height * e / constant, tick.time_sd});
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) squares[i][j] += slopes.back()[i] * slopes.back()[j];
    }
  }
  const Row row = last_row_of_inverse(squares);
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) influences[k].weight += row[i] * slopes[k][i];
  }
  return influences;
}

/// Variance of a weighted sum whose terms share something with the `lags` terms before.
double shared_variance(const std::vector<Influence>& influences, std::size_t lags) {
  const auto moved = [&](std::size_t i) { return influences[i].weight * influences[i].residual; };
  double variance = 0.0;
  for (std::size_t lag = 0; lag <= lags; ++lag) {
    const double share = numerics::bartlett_weight(lag, lags);
    const double sides = lag == 0 ? 1.0 : 2.0;
    for (std::size_t i = lag; i < influences.size(); ++i) {
      variance += sides * share * moved(i) * moved(i - lag);
    }
  }
  return variance;
}

/// Variance of the same sum of independent terms, widened for those few that matter: their number
/// is Kish's, (sum of squares)^2 over the sum of fourth powers.
double independent_variance(const std::vector<Influence>& influences) {
  std::vector<double> residuals;
  for (const Influence& one : influences) residuals.push_back(one.residual);
  const double scatter = numerics::robust_sd(residuals).value_or(0.0);
  double variance = 0.0;
  double squares = 0.0;
  double fourths = 0.0;
  for (const Influence& one : influences) {
    const double sd = numerics::quadrature({scatter, one.steepness * one.time_sd});
    const double square = one.weight * one.weight;
    variance += square * sd * sd;
    squares += square;
    fourths += square * square;
  }
  const double widening = numerics::student_widening(squares * squares / fourths - kUnknowns);
  return variance * widening * widening;
}

}  // namespace

double uncertainty_of_constant(Readings readings, const Capacitor& fit) {
  const double constant = fit.constant.value;
  const double length = readings.back().time - readings.front().time;
  const double interval = length / static_cast<double>(readings.size() - 1);
  const double most = static_cast<double>(readings.size() - 1);
  const double shared = std::ceil(kSharedFor * constant / interval);
  const auto lags = static_cast<std::size_t>(shared < most ? shared : most);
  const std::vector<Influence> influences = influences_of(readings, fit);
  const double widening = numerics::student_widening(length / (kStretch * constant));
  return std::sqrt(kAbsolutes * std::max(shared_variance(influences, lags) * widening * widening,
                                         independent_variance(influences)));
}

}  // namespace truewatt::replication::burtscher
