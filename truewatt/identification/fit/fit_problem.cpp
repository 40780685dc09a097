#include "truewatt/identification/fit/fit_problem.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::identification {
namespace {

constexpr double kDifferenceStep = 1e-3;  // of a logarithm, for differences

double huber_weight(const JointFit& fit, std::size_t k) {
  if (fit.residuals.empty()) return 1.0;
  const double size = std::abs(fit.residuals[k]) / fit.sds[k];
  return size <= kHuber ? 1.0 : kHuber / size;
}

/// The bound that a free share went over, if it did.
std::optional<double> bound_of(double share, double most) {
  if (share >= 0.0 && share <= most) return std::nullopt;
  return share > most ? most : 0.0;
}

}  // namespace

ObservationModel model_of(const Parameters& p, Structure structure) {
  return {.averaging_window = Seconds(std::exp(p[kLogWindow])),
          .time_constant = Seconds(structure.lag ? std::exp(p[kLogLag]) : 0.0),
          .delay = Seconds(p[kDelay])};
}

bool is_free(const JointFit& fit, const Part& part) {
  const double share = fit.*part.share;
  return fit.structure.*part.present && share > 0.0 && share < part.most;
}

Vector weights_of(const JointFit& fit) {
  Vector weights(static_cast<Eigen::Index>(fit.sds.size()));
  for (std::size_t k = 0; k < fit.sds.size(); ++k) {
    weights[static_cast<Eigen::Index>(k)] = huber_weight(fit, k) / (fit.sds[k] * fit.sds[k]);
  }
  return weights;
}

FitProblem::FitProblem(const FitData& data, Structure structure, double noise_sd,
                       std::optional<Parameter> held)
    : data_(data), structure_(structure), noise_sd_(noise_sd), held_(held) {
  ticks_.reserve(data.readings.size());
  for (const ticks::Tick& reading : data.readings) ticks_.push_back(reading.time);
  middle_ = ticks_.empty() ? 0.0 : (ticks_.front() + ticks_.back()) / 2;
  if (data.measured) {
    settled_.emplace(*data.measured);
  } else {
    settled_.emplace(data.work, Shape::settled);
  }
}

JointFit FitProblem::at(const Parameters& parameters) {
  columns_ = columns_at(parameters);
  JointFit fit;
  fit.structure = structure_;
  fit.parameters = parameters;
  fit.noise_sd_w = noise_sd_;
  // The weights depend on the slope, hence on the amplitude: twice is enough.
  fit.sds.assign(ticks_.size(), noise_sd_);
  solve(fit);
  weigh(fit);
  solve(fit);
  find_cost(fit);
  return fit;
}

Matrix FitProblem::jacobian(const JointFit& fit, std::vector<std::size_t>& active) const {
  active = active_parameters(fit);
  const std::vector<Vector> linear = linear_columns(fit);
  Matrix jacobian(static_cast<Eigen::Index>(ticks_.size()),
                  static_cast<Eigen::Index>(linear.size() + active.size()));
  for (std::size_t j = 0; j < linear.size(); ++j) {
    jacobian.col(static_cast<Eigen::Index>(j)) = linear[j];
  }
  for (std::size_t j = 0; j < active.size(); ++j) {
    jacobian.col(static_cast<Eigen::Index>(linear.size() + j)) = derivative(fit, active[j]);
  }
  return jacobian;
}

std::vector<Response> FitProblem::part_column(const Parameters& p, const Part& part) const {
  return LoadResponse(data_.work, part.shape, std::exp(p[part.time]))
      .at(ticks_, model_of(p, structure_), data_.kernel);
}

FitProblem::Columns FitProblem::columns_at(const Parameters& p) const {
  Columns columns{settled_->at(ticks_, model_of(p, structure_), data_.kernel), {}};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (structure_.*kParts[i].present) columns.parts[i] = part_column(p, kParts[i]);
  }
  return columns;
}

FitProblem::Columns FitProblem::columns_moved(const Parameters& moved,
                                              std::size_t parameter) const {
  if (parameter == kLogLag) return columns_at(moved);
  Columns columns = columns_;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (kParts[i].time == parameter) columns.parts[i] = part_column(moved, kParts[i]);
  }
  return columns;
}

double FitProblem::Columns::sum(const JointFit& fit, std::size_t k,
                                double Response::*member) const {
  double sum = settled[k].*member;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (!parts[i].empty()) sum += kParts[i].sign * fit.*kParts[i].share * parts[i][k].*member;
  }
  return sum;
}

void FitProblem::weigh(JointFit& fit) const {
  fit.slopes.resize(ticks_.size());
  for (std::size_t k = 0; k < ticks_.size(); ++k) {
    fit.slopes[k] = fit.amplitude_w * columns_.sum(fit, k, &Response::by_time);
    const double by_time = fit.slopes[k] * data_.readings[k].time_sd;
    fit.sds[k] = std::sqrt(noise_sd_ * noise_sd_ + by_time * by_time);
  }
}

void FitProblem::solve(JointFit& fit) const {
  Shares shares;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (!(structure_.*kParts[i].present)) shares[i] = 0.0;
  }
  for (std::size_t round = 0; round <= kParts.size(); ++round) {
    solve_with(fit, shares);
    const Shares before = shares;
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      if (!shares[i]) shares[i] = bound_of(fit.*kParts[i].share, kParts[i].most);
    }
    if (before == shares) return;
  }
}

void FitProblem::solve_with(JointFit& fit, const Shares& shares) const {
  const auto free = std::count(shares.begin(), shares.end(), std::nullopt);
  const auto unknowns = static_cast<Eigen::Index>(2 + (drifts() ? 1 : 0) + free);
  Matrix gram = Matrix::Zero(unknowns, unknowns);
  Vector right = Vector::Zero(unknowns);
  Vector row(unknowns);
  for (std::size_t k = 0; k < ticks_.size(); ++k) {
    Eigen::Index j = 0;
    row[j++] = 1.0;
    if (drifts()) row[j++] = ticks_[k] - middle_;
    double& settled = row[j++];
    settled = columns_.settled[k].reading;
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      if (!shares[i]) {
        row[j++] = columns_.parts[i][k].reading;
      } else if (*shares[i] != 0.0) {
        settled += kParts[i].sign * *shares[i] * columns_.parts[i][k].reading;
      }
    }
    const double weight = 1.0 / (fit.sds[k] * fit.sds[k]) * huber_weight(fit, k);
    gram.noalias() += weight * row * row.transpose();
    right += weight * data_.readings[k].value * row;
  }
  gram.diagonal().array() += 1e-12 * gram.diagonal().maxCoeff();
  const Vector solution = gram.ldlt().solve(right);
  Eigen::Index j = 0;
  fit.idle_w = solution[j++];
  fit.drift_w_per_s = drifts() ? solution[j++] : 0.0;
  fit.amplitude_w = std::max(solution[j++], 1e-9);
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    fit.*kParts[i].share =
        shares[i] ? *shares[i] : kParts[i].sign * solution[j++] / fit.amplitude_w;
  }
  find_residuals(fit);
}

void FitProblem::find_residuals(JointFit& fit) const {
  fit.residuals.resize(ticks_.size());
  for (std::size_t k = 0; k < ticks_.size(); ++k) {
    const double modelled = fit.idle_w + fit.drift_w_per_s * (ticks_[k] - middle_) +
                            fit.amplitude_w * columns_.sum(fit, k, &Response::reading);
    fit.residuals[k] = data_.readings[k].value - modelled;
  }
}

void FitProblem::find_cost(JointFit& fit) const {
  fit.cost = 0.0;
  for (std::size_t k = 0; k < ticks_.size(); ++k) {
    const double size = std::abs(fit.residuals[k]) / fit.sds[k];
    fit.cost += size <= kHuber ? size * size / 2 : kHuber * (size - kHuber / 2);
    fit.cost += std::log(fit.sds[k] / noise_sd_);
  }
}

std::vector<std::size_t> FitProblem::active_parameters(const JointFit& fit) const {
  std::vector<std::size_t> active{kLogWindow, kDelay};
  if (structure_.lag) active.push_back(kLogLag);
  for (const Part& part : kParts) {
    if (structure_.*part.present && fit.*part.share > 0.0) active.push_back(part.time);
  }
  if (held_) std::erase(active, *held_);
  return active;
}

std::vector<Vector> FitProblem::linear_columns(const JointFit& fit) const {
  const auto count = static_cast<Eigen::Index>(ticks_.size());
  std::vector<Vector> columns;
  const auto add = [&](auto value) {
    Vector& column = columns.emplace_back(count);
    for (Eigen::Index k = 0; k < count; ++k) column[k] = value(static_cast<std::size_t>(k));
  };
  add([](std::size_t) { return 1.0; });
  if (drifts()) add([&](std::size_t k) { return ticks_[k] - middle_; });
  add([&](std::size_t k) { return columns_.sum(fit, k, &Response::reading); });
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (!is_free(fit, kParts[i])) continue;
    const double watts = kParts[i].sign * fit.amplitude_w;
    add([&](std::size_t k) { return watts * columns_.parts[i][k].reading; });
  }
  return columns;
}

Vector FitProblem::derivative(const JointFit& fit, std::size_t parameter) const {
  const auto count = static_cast<Eigen::Index>(ticks_.size());
  Vector result(count);
  const auto fill = [&](auto value) {
    for (Eigen::Index i = 0; i < count; ++i) result[i] = value(static_cast<std::size_t>(i));
  };
  const double a = fit.amplitude_w;
  const double window = std::exp(fit.parameters[kLogWindow]);
  if (parameter == kLogWindow) {
    fill([&](std::size_t k) { return a * window * columns_.sum(fit, k, &Response::by_window); });
  } else if (parameter == kDelay) {
    fill([&](std::size_t k) { return -a * columns_.sum(fit, k, &Response::by_time); });
  } else {
    Parameters moved = fit.parameters;
    moved[parameter] += kDifferenceStep;
    const Columns columns = columns_moved(moved, parameter);
    fill([&](std::size_t k) {
      return a *
             (columns.sum(fit, k, &Response::reading) - columns_.sum(fit, k, &Response::reading)) /
             kDifferenceStep;
    });
  }
  return result;
}

}  // namespace truewatt::identification
