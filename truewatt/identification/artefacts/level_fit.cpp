#include "truewatt/identification/artefacts/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "truewatt/identification/fit/fit_problem.hpp"
#include "truewatt/identification/fit/larger_covariance.hpp"
#include "truewatt/identification/fit/load_response.hpp"

namespace truewatt::identification {
namespace {

/// The stretches of one height, as high as full work.
std::vector<Work> of_height(std::span<const Work> work, double height) {
  std::vector<Work> same;
  for (const Work& one : work) {
    if (one.height == height) same.push_back({one.begin, one.end});
  }
  return same;
}

/// Columns before those of the levels: idle, drift, full work.
constexpr Eigen::Index kFullWork = 2;
constexpr Eigen::Index kFirstLevel = 3;
constexpr double kLargestStep = 0.01;  // of a logarithm, or s
constexpr double kUnknownLevel = 0.1;  // of a logarithm, or s

/// For each level two columns follow: its amplitude, and that times -later.
Matrix columns_of(const FitData& data, const JointFit& fit, const std::set<double>& heights) {
  const auto count = static_cast<Eigen::Index>(data.readings.size());
  Matrix columns(count, kFirstLevel + 2 * static_cast<Eigen::Index>(heights.size()));
  columns.col(0).setOnes();
  for (Eigen::Index k = 0; k < count; ++k) {
    columns(k, 1) = data.readings[static_cast<std::size_t>(k)].time - data.readings.front().time;
  }
  const auto fill = [&](Eigen::Index column, const std::vector<Response>& parts,
                        double Response::*member) {
    for (Eigen::Index k = 0; k < count; ++k) {
      columns(k, column) = parts[static_cast<std::size_t>(k)].*member;
    }
  };
  fill(kFullWork, responses_of(fit, data.readings, of_height(data.work, 1.0), data.kernel),
       &Response::reading);
  Eigen::Index next = kFirstLevel;
  for (const double height : heights) {
    const auto parts = responses_of(fit, data.readings, of_height(data.work, height), data.kernel);
    fill(next++, parts, &Response::reading);
    fill(next++, parts, &Response::by_time);
  }
  return columns;
}

Vector values_of(std::span<const ticks::Tick> readings) {
  Vector values(static_cast<Eigen::Index>(readings.size()));
  for (std::size_t k = 0; k < readings.size(); ++k) {
    values[static_cast<Eigen::Index>(k)] = readings[k].value;
  }
  return values;
}

/// The unknowns of the columns with their covariance.
struct Solved {
  Vector unknowns;
  Matrix covariance;
};

/// Over so many readings what a source remembers is shared for certain: twice its window and lag.
Eigen::Index memory_of(const FitData& data, const JointFit& fit) {
  const ObservationModel model = model_of(fit.parameters, fit.structure);
  const double memory = equivalent_window(model).count();
  const double length = data.readings.back().time - data.readings.front().time;
  const double interval = length / static_cast<double>(data.readings.size());
  return static_cast<Eigen::Index>(2 * memory / std::max(interval, 1e-6));
}

Solved solved(const Matrix& columns, const Vector& weights, const Vector& values,
              Eigen::Index reach) {
  const Matrix gram = columns.transpose() * weights.asDiagonal() * columns;
  const auto solver = gram.ldlt();
  const Vector unknowns = solver.solve(columns.transpose() * weights.cwiseProduct(values));
  const Vector residuals = values - columns * unknowns;
  const Matrix inverse = solver.solve(Matrix::Identity(columns.cols(), columns.cols()));
  return {unknowns, larger_covariance({columns, weights, residuals, inverse, reach})};
}

/// Adds what the fit does not know of window, delay, lag and the board's shape: by how much the
/// unknowns move with each, times its covariance.
void add_uncertainty_of(const JointFit& fit, const FitData& data, const std::set<double>& heights,
                        const Vector& weights, Solved& solution) {
  const Vector values = values_of(data.readings);
  Matrix moved = Matrix::Zero(solution.unknowns.size(), kParameters);
  Matrix known = Matrix::Zero(kParameters, kParameters);
  const auto believed = [&fit](std::size_t i) {
    // Where a logarithm is hardly known the readings hardly depend on it, and not in a line.
    const double sd = std::sqrt(fit.covariance[i][i]);
    return sd > kUnknownLevel ? kUnknownLevel / sd : 1.0;
  };
  for (std::size_t i = 0; i < kParameters; ++i) {
    for (std::size_t j = 0; j < kParameters; ++j) {
      known(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          fit.covariance[i][j] * believed(i) * believed(j);
    }
    if (!(fit.covariance[i][i] > 0)) continue;
    const double step = std::min(std::sqrt(fit.covariance[i][i]), kLargestStep);
    JointFit other = fit;
    other.parameters[i] += step;
    const Matrix columns = columns_of(data, other, heights);
    const Matrix gram = columns.transpose() * weights.asDiagonal() * columns;
    const Vector unknowns = gram.ldlt().solve(columns.transpose() * weights.cwiseProduct(values));
    moved.col(static_cast<Eigen::Index>(i)) = (unknowns - solution.unknowns) / step;
  }
  solution.covariance += moved * known * moved.transpose();
}

/// What the column `a` of a level's amplitude and the one behind it say.
LevelFit level_of(double height, const Solved& solution, Eigen::Index a) {
  const Matrix& covariance = solution.covariance;
  const double full = solution.unknowns[kFullWork];
  const double amplitude = solution.unknowns[a];
  const double share = amplitude / full;
  const double share_variance = covariance(a, a) - 2 * share * covariance(a, kFullWork) +
                                share * share * covariance(kFullWork, kFullWork);
  return {height,
          {share, std::sqrt(std::max(share_variance, 0.0)) / std::abs(full)},
          {-solution.unknowns[a + 1] / amplitude,
           std::sqrt(covariance(a + 1, a + 1)) / std::abs(amplitude)}};
}

/// A level of which nothing was read leaves a column of zeros.
bool is_known(const Uncertain& x) {
  return std::isfinite(x.value) && std::isfinite(x.standard_uncertainty) &&
         x.standard_uncertainty > 0;
}

/// Of a level that hardly shows, when it does may be any time: profiles hold no longer one.
bool is_time(const Uncertain& x) {
  constexpr double kLongest = 50.0;  // s
  return is_known(x) && std::abs(x.value) + 2 * x.standard_uncertainty < kLongest;
}

}  // namespace

std::vector<LevelFit> fit_levels(const FitData& data, const JointFit& fit) {
  std::set<double> heights;
  for (const Work& one : data.work) heights.insert(one.height);
  heights.erase(1.0);
  if (heights.empty() || data.measured || data.readings.empty()) return {};
  const JointFit here = fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
  const Vector weights = weights_of(here);
  Solved solution = solved(columns_of(data, fit, heights), weights, values_of(data.readings),
                           memory_of(data, fit));
  add_uncertainty_of(fit, data, heights, weights, solution);
  std::vector<LevelFit> levels;
  Eigen::Index next = kFirstLevel;
  for (const double height : heights) {
    const LevelFit level = level_of(height, solution, next);
    next += 2;
    if (is_known(level.share) && is_time(level.later_s)) levels.push_back(level);
  }
  return levels;
}

}  // namespace truewatt::identification
