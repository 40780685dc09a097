#include "truewatt/identification/fit_problem.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::identification {
namespace {

constexpr double kStep = 1e-3;  // of a logarithm, for differences

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
  for (const energy::Tick& reading : data.readings) ticks_.push_back(reading.time);
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

std::vector<Response> FitProblem::decay_column(const Parameters& parameters, Parameter time) const {
  return LoadResponse(data_.work, Shape::decay, std::exp(parameters[time]))
      .at(ticks_, model_of(parameters, structure_), data_.kernel);
}

FitProblem::Columns FitProblem::columns_at(const Parameters& p) const {
  Columns columns{settled_->at(ticks_, model_of(p, structure_), data_.kernel), {}, {}};
  if (structure_.slow_rise) columns.rise = decay_column(p, kLogRise);
  if (structure_.overshoot) columns.overshoot = decay_column(p, kLogOvershoot);
  return columns;
}

FitProblem::Columns FitProblem::columns_moved(const Parameters& moved,
                                              std::size_t parameter) const {
  if (parameter == kLogLag) return columns_at(moved);
  Columns columns = columns_;
  if (parameter == kLogRise) {
    columns.rise = decay_column(moved, kLogRise);
  } else {
    columns.overshoot = decay_column(moved, kLogOvershoot);
  }
  return columns;
}

double FitProblem::Columns::part(const JointFit& fit, std::size_t k,
                                 double Response::*member) const {
  double sum = settled[k].*member;
  if (!rise.empty()) sum -= fit.rise_share * rise[k].*member;
  if (!overshoot.empty()) sum += fit.overshoot_share * overshoot[k].*member;
  return sum;
}

void FitProblem::weigh(JointFit& fit) const {
  fit.slopes.resize(ticks_.size());
  for (std::size_t k = 0; k < ticks_.size(); ++k) {
    fit.slopes[k] = fit.amplitude_w * columns_.part(fit, k, &Response::by_time);
    const double by_time = fit.slopes[k] * data_.readings[k].time_sd;
    fit.sds[k] = std::sqrt(noise_sd_ * noise_sd_ + by_time * by_time);
  }
}

void FitProblem::solve(JointFit& fit) const {
  Shares shares;
  if (!structure_.slow_rise) shares.rise = 0.0;
  if (!structure_.overshoot) shares.overshoot = 0.0;
  for (int round = 0; round < 3; ++round) {
    solve_with(fit, shares);
    const Shares before = shares;
    if (!shares.rise) shares.rise = bound_of(fit.rise_share, 1.0);
    if (!shares.overshoot) shares.overshoot = bound_of(fit.overshoot_share, kMostOvershoot);
    if (before.rise == shares.rise && before.overshoot == shares.overshoot) return;
  }
}

void FitProblem::solve_with(JointFit& fit, const Shares& shares) const {
  const int unknowns = 2 + (drifts() ? 1 : 0) + (shares.rise ? 0 : 1) + (shares.overshoot ? 0 : 1);
  Matrix gram = Matrix::Zero(unknowns, unknowns);
  Vector right = Vector::Zero(unknowns);
  Vector row(unknowns);
  for (std::size_t k = 0; k < ticks_.size(); ++k) {
    int j = 0;
    row[j++] = 1.0;
    if (drifts()) row[j++] = ticks_[k] - middle_;
    double settled = columns_.settled[k].reading;
    if (shares.rise.value_or(0.0) != 0.0) settled -= *shares.rise * columns_.rise[k].reading;
    if (shares.overshoot.value_or(0.0) != 0.0) {
      settled += *shares.overshoot * columns_.overshoot[k].reading;
    }
    row[j++] = settled;
    if (!shares.rise) row[j++] = columns_.rise[k].reading;
    if (!shares.overshoot) row[j++] = columns_.overshoot[k].reading;
    const double weight = 1.0 / (fit.sds[k] * fit.sds[k]) * huber_weight(fit, k);
    gram.noalias() += weight * row * row.transpose();
    right += weight * data_.readings[k].value * row;
  }
  gram.diagonal().array() += 1e-12 * gram.diagonal().maxCoeff();
  const Vector solution = gram.ldlt().solve(right);
  int j = 0;
  fit.idle_w = solution[j++];
  fit.drift_w_per_s = drifts() ? solution[j++] : 0.0;
  fit.amplitude_w = std::max(solution[j++], 1e-9);
  fit.rise_share = shares.rise ? *shares.rise : -solution[j++] / fit.amplitude_w;
  fit.overshoot_share = shares.overshoot ? *shares.overshoot : solution[j++] / fit.amplitude_w;
  find_residuals(fit);
}

void FitProblem::find_residuals(JointFit& fit) const {
  fit.residuals.resize(ticks_.size());
  for (std::size_t k = 0; k < ticks_.size(); ++k) {
    const double modelled = fit.idle_w + fit.drift_w_per_s * (ticks_[k] - middle_) +
                            fit.amplitude_w * columns_.part(fit, k, &Response::reading);
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
  if (structure_.slow_rise && fit.rise_share > 0.0) active.push_back(kLogRise);
  if (structure_.overshoot && fit.overshoot_share > 0.0) active.push_back(kLogOvershoot);
  if (held_) std::erase(active, *held_);
  return active;
}

std::vector<Vector> FitProblem::linear_columns(const JointFit& fit) const {
  const auto count = static_cast<Eigen::Index>(ticks_.size());
  const bool rise = structure_.slow_rise && fit.rise_share > 0.0 && fit.rise_share < 1.0;
  const bool over =
      structure_.overshoot && fit.overshoot_share > 0.0 && fit.overshoot_share < kMostOvershoot;
  const std::size_t all = 2U + (drifts() ? 1U : 0U) + (rise ? 1U : 0U) + (over ? 1U : 0U);
  std::vector<Vector> columns(all, Vector(count));
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::size_t j = 0;
    columns[j++][i] = 1.0;
    if (drifts()) columns[j++][i] = ticks_[k] - middle_;
    columns[j++][i] = columns_.part(fit, k, &Response::reading);
    if (rise) columns[j++][i] = fit.amplitude_w * columns_.rise[k].reading;
    if (over) columns[j++][i] = fit.amplitude_w * columns_.overshoot[k].reading;
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
    fill([&](std::size_t k) { return a * window * columns_.part(fit, k, &Response::by_window); });
  } else if (parameter == kDelay) {
    fill([&](std::size_t k) { return -a * columns_.part(fit, k, &Response::by_time); });
  } else {
    Parameters moved = fit.parameters;
    moved[parameter] += kStep;
    const Columns columns = columns_moved(moved, parameter);
    fill([&](std::size_t k) {
      return a *
             (columns.part(fit, k, &Response::reading) -
              columns_.part(fit, k, &Response::reading)) /
             kStep;
    });
  }
  return result;
}

}  // namespace truewatt::identification
