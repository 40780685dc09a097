#include "truewatt/energy/former/kriging.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <random>

namespace truewatt::energy {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kStep = 0.5e-3;  // s, of the oracle's grid
constexpr int kCells = 2000;

double middle(int cell) { return (cell + 0.5) * kStep; }

/// What a look sees of the power in every cell of the grid, W per W.
Vector weights_of(const Look& look, double lag) {
  Vector weights = Vector::Zero(kCells);
  for (int i = 0; i < kCells; ++i) {
    const double age = look.time - middle(i);
    if (age < 0) break;
    if (lag > 0) {
      weights(i) =
          look.value * std::exp(-age / lag) / lag + look.integral * (1 - std::exp(-age / lag));
    } else {
      weights(i) = look.integral;  // the oracle has no point samples without a lag
    }
  }
  return weights * kStep;
}

/// The same by dense linear algebra on a grid of time: covariance of everything with everything.
struct Oracle {
  double energy = 0.0;
  double variance = 0.0;
  double log_likelihood = 0.0;
};

Oracle dense(const KrigingProblem& problem) {
  Matrix kernel = Matrix::Zero(kCells, kCells);
  for (const Fluctuation& one : problem.fluctuations) {
    for (const Span& span : one.alive) {
      for (int a = 0; a < kCells; ++a) {
        if (middle(a) < span.begin || middle(a) > span.end) continue;
        for (int b = 0; b < kCells; ++b) {
          if (middle(b) < span.begin || middle(b) > span.end) continue;
          kernel(a, b) +=
              one.sd_w * one.sd_w * std::exp(-std::abs(middle(a) - middle(b)) / one.correlation_s);
        }
      }
    }
  }
  const auto n = static_cast<Index>(problem.readings.size());
  Matrix looks = Matrix::Zero(n, kCells);
  std::vector<Vector> sums(problem.sources.size(), Vector::Zero(kCells));
  for (Index k = 0; k < n; ++k) {
    const ObservedReading& reading = problem.readings[static_cast<std::size_t>(k)];
    const ObservedSource& source = problem.sources[reading.source];
    Vector row = Vector::Zero(kCells);
    for (const Look& look : reading.looks) row += weights_of(look, source.time_constant_s);
    if (source.adds_up) row = sums[reading.source] += row;
    looks.row(k) = row;
  }
  Vector window = Vector::Zero(kCells);
  for (int i = 0; i < kCells; ++i) {
    if (middle(i) > problem.begin && middle(i) < problem.end) window(i) = kStep;
  }
  const Matrix prior = problem.prior_sd.cwiseAbs2().asDiagonal();
  Matrix readings =
      looks * kernel * looks.transpose() + problem.columns * prior * problem.columns.transpose();
  Vector left(n);
  for (Index k = 0; k < n; ++k) {
    readings(k, k) += problem.readings[static_cast<std::size_t>(k)].variance;
    left(k) = problem.readings[static_cast<std::size_t>(k)].value;
  }
  left -= problem.columns * problem.prior;
  const Vector with_energy = looks * (kernel * window) + problem.columns * (prior * problem.energy);
  const Eigen::LLT<Matrix> factor(readings);
  Oracle oracle;
  oracle.energy = problem.energy.dot(problem.prior) + with_energy.dot(factor.solve(left));
  oracle.variance = window.dot(kernel * window) + problem.energy.dot(prior * problem.energy) -
                    with_energy.dot(factor.solve(with_energy));
  const Matrix root = factor.matrixL();
  oracle.log_likelihood = -0.5 * left.dot(factor.solve(left)) -
                          root.diagonal().array().log().sum() -
                          0.5 * static_cast<double>(n) * std::log(2 * M_PI);
  return oracle;
}

/// Readings of two sources, a filter that looks at points and a boxcar behind another lag, while
/// two fluctuations overlap, one with a break; two coefficients, a constant and a step.
KrigingProblem two_sources(double second_lag) {
  KrigingProblem problem;
  problem.sources = {{0.02, false}, {second_lag, false}};
  problem.fluctuations = {{12.0, 0.03, {{0.2, 0.45}, {0.56, 0.8}}}, {3.0, 0.3, {{0.0, 1.0}}}};
  problem.begin = 0.25;
  problem.end = 0.7;
  std::mt19937 rng(7);
  std::normal_distribution<double> value(200.0, 20.0);
  std::vector<std::array<double, 2>> rows;
  for (int k = 1; k <= 9; ++k) {
    const double t = 0.1 * k + 0.013;
    problem.readings.push_back({0, {{t, 1.0, 0.0}}, value(rng), 0.5});
    rows.push_back({1.0, t > 0.3 ? 1.0 : 0.0});
    const double end = 0.1 * k + 0.041;
    const double width = 0.12;
    if (end < width) continue;
    problem.readings.push_back(
        {1, {{end - width, 0.0, -1 / width}, {end, 0.0, 1 / width}}, value(rng), 0.2});
    rows.push_back({1.0, t > 0.3 ? 0.8 : 0.1});
  }
  problem.columns.resize(static_cast<Index>(rows.size()), 2);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    problem.columns.row(static_cast<Index>(k)) << rows[k][0], rows[k][1];
  }
  problem.prior = Vector::Zero(2);
  problem.prior_sd = Vector::Constant(2, 300.0);
  problem.energy = (Vector(2) << 0.45, 0.4).finished();
  return problem;
}

/// The oracle's grid is half a millisecond and a lag may be moved by 0.4 %: that much and a little
/// more of what differs by them.
void expect_same(const KrigingSolution& solution, const Oracle& oracle) {
  EXPECT_NEAR(solution.energy_j, oracle.energy, 5e-4 * std::abs(oracle.energy));
  EXPECT_NEAR(std::sqrt(solution.variance), std::sqrt(oracle.variance),
              5e-3 * std::sqrt(oracle.variance));
  EXPECT_NEAR(solution.log_likelihood, oracle.log_likelihood,
              5e-3 * std::abs(oracle.log_likelihood));
}

TEST(Kriging, IsWhatDenseLinearAlgebraFinds) {
  // Two of them are a correlation time, and one so near that it must not be moved onto it.
  for (const double lag : {0.0, 0.05, 0.03, 0.3, 0.03 / 1.004}) {
    SCOPED_TRACE(lag);
    const KrigingProblem problem = two_sources(lag);
    expect_same(solve(problem), dense(problem));
  }
}

TEST(Kriging, FollowsCountersThatAddUpOrSumReadings) {
  KrigingProblem problem = two_sources(0.05);
  // An exact counter behind the first lag, and one that sums readings 20 ms apart behind the other.
  problem.sources.push_back({0.02, false});
  problem.sources.push_back({0.05, true});
  const Index before = problem.columns.rows();
  constexpr Index kTicks = 9;
  problem.columns.conservativeResize(before + 2 * kTicks, 2);
  for (Index k = 1; k <= kTicks; ++k) {
    const double t = 0.1 * static_cast<double>(k);
    problem.columns.row(before + 2 * (k - 1)) << t, std::max(0.0, t - 0.3);
    problem.columns.row(before + 2 * (k - 1) + 1) << t, std::max(0.0, t - 0.3);
    problem.readings.push_back({2, {{t, 0.0, 1.0}}, 200 * t, 1e-2});
    ObservedReading summed{3, {}, 201 * t, 2e-2};
    for (int i = 1; i <= 5; ++i) summed.looks.push_back({t - 0.1 + 0.02 * i, 0.02, 0.0});
    problem.readings.push_back(summed);
  }
  expect_same(solve(problem), dense(problem));
}

TEST(Kriging, SplitsItsVarianceIntoEverythingThatIsRandom) {
  const KrigingProblem problem = two_sources(0.05);
  const KrigingSolution solution = solve(problem, true);
  const double sum =
      solution.noise_share + solution.fluctuation_share + solution.coefficient_shares.sum();
  EXPECT_NEAR(sum, solution.variance, 1e-9 * solution.variance);
  double weighed = 0.0;
  for (std::size_t k = 0; k < problem.readings.size(); ++k) {
    weighed += solution.weights[k] * problem.readings[k].value;
  }
  EXPECT_NEAR(weighed, solution.energy_j, 1e-9 * solution.energy_j);  // the priors' means are zero
}

// The mean over ten microseconds is the energy of such a window.
TEST(Kriging, SmoothsThePowerThatItsEnergiesAreOf) {
  constexpr double kWidth = 1e-5;  // s
  KrigingProblem problem = two_sources(0.05);
  const auto step_at = [](double t) { return t > 0.3 ? 1.0 : 0.0; };
  const std::vector<double> times = {0.05, 0.21, 0.3005, 0.47, 0.75, 0.95};
  const KrigingProfile profile = smooth(problem, times);
  EXPECT_NEAR(profile.solution.energy_j, solve(problem).energy_j, 1e-9);
  for (std::size_t i = 0; i < times.size(); ++i) {
    problem.begin = times[i] - kWidth / 2;
    problem.end = times[i] + kWidth / 2;
    const Vector power = (Vector(2) << 1.0, step_at(times[i])).finished();
    problem.energy = kWidth * power;
    const KrigingSolution cell = solve(problem);
    const Vector by = power - profile.at[i].by_coefficient;
    const double value = profile.at[i].value + by.dot(profile.solution.coefficients);
    const double variance = profile.at[i].variance + by.dot(profile.solution.covariance * by);
    const double sd = std::sqrt(cell.variance) / kWidth;
    EXPECT_NEAR(value, cell.energy_j / kWidth, 2e-3) << times[i];
    EXPECT_NEAR(std::sqrt(variance), sd, 1e-3 * sd) << times[i];
  }
}

TEST(Kriging, ReadsAConstantPowerToItsNoise) {
  KrigingProblem problem;
  problem.sources = {{0.0, false}};
  problem.begin = 0.0;
  problem.end = 2.0;
  for (int k = 1; k <= 25; ++k) {
    problem.readings.push_back({0, {{0.1 * k, 1.0, 0.0}}, 100.0 + (k % 2 ? 1.0 : -1.0), 4.0});
  }
  problem.columns = Matrix::Ones(25, 1);
  problem.prior = Vector::Zero(1);
  problem.prior_sd = Vector::Constant(1, 1e4);
  problem.energy = Vector::Constant(1, 2.0);
  const KrigingSolution solution = solve(problem);
  EXPECT_NEAR(solution.energy_j, 2 * (100.0 + 1.0 / 25), 1e-6);  // the mean of 25 readings
  EXPECT_NEAR(solution.variance, 4.0 * 4.0 / 25, 1e-6);          // (2 s)^2 * 4 W^2 / 25
}

}  // namespace
}  // namespace truewatt::energy
