#include "truewatt/identification/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "truewatt/identification/fit_problem.hpp"
#include "truewatt/identification/load_response.hpp"

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

}  // namespace

std::vector<LevelFit> fit_levels(const FitData& data, const JointFit& fit) {
  std::set<double> heights;
  for (const Work& one : data.work) heights.insert(one.height);
  heights.erase(1.0);
  if (heights.empty() || data.measured || data.readings.empty()) return {};

  // Columns: idle, drift, full work, then two for each level: its amplitude and that times -later.
  const auto count = static_cast<Eigen::Index>(data.readings.size());
  const auto unknowns = static_cast<Eigen::Index>(3 + 2 * heights.size());
  const JointFit here = fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
  Matrix columns(count, unknowns);
  Vector values(count);
  columns.col(0).setOnes();
  for (Eigen::Index k = 0; k < count; ++k) {
    const energy::Tick& reading = data.readings[static_cast<std::size_t>(k)];
    columns(k, 1) = reading.time - data.readings.front().time;
    values[k] = reading.value;
  }
  const auto fill = [&](Eigen::Index column, const std::vector<Response>& parts,
                        double Response::*member) {
    for (Eigen::Index k = 0; k < count; ++k) {
      columns(k, column) = parts[static_cast<std::size_t>(k)].*member;
    }
  };
  fill(2, responses_of(fit, data.readings, of_height(data.work, 1.0), data.kernel),
       &Response::reading);
  Eigen::Index next = 3;
  for (const double height : heights) {
    const auto parts = responses_of(fit, data.readings, of_height(data.work, height), data.kernel);
    fill(next++, parts, &Response::reading);
    fill(next++, parts, &Response::by_time);
  }
  const Vector weights = weights_of(here);
  const Matrix gram = columns.transpose() * weights.asDiagonal() * columns;
  const auto solver = gram.ldlt();
  const Vector solution = solver.solve(columns.transpose() * weights.cwiseProduct(values));
  const Vector residuals = values - columns * solution;
  const double freedom = std::max(1.0, static_cast<double>(count - unknowns));
  const double chi2 = residuals.dot(weights.cwiseProduct(residuals)) / freedom;
  const Matrix covariance =
      std::max(1.0, chi2) * solver.solve(Matrix::Identity(unknowns, unknowns));

  const double full = solution[2];
  std::vector<LevelFit> levels;
  next = 3;
  for (const double height : heights) {
    const Eigen::Index a = next++;
    const Eigen::Index s = next++;
    const double share = solution[a] / full;
    const double share_variance =
        covariance(a, a) - 2 * share * covariance(a, 2) + share * share * covariance(2, 2);
    const double later = -solution[s] / solution[a];
    const LevelFit level{height,
                         {share, std::sqrt(std::max(share_variance, 0.0)) / std::abs(full)},
                         {later, std::sqrt(covariance(s, s)) / std::abs(solution[a])}};
    // A level of which nothing was read leaves a column of zeros.
    const auto is_known = [](const Uncertain& x) {
      return std::isfinite(x.value) && std::isfinite(x.standard_uncertainty) &&
             x.standard_uncertainty > 0;
    };
    if (is_known(level.share) && is_known(level.later_s)) levels.push_back(level);
  }
  return levels;
}

}  // namespace truewatt::identification
