#include "truewatt/identification/joint_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "truewatt/identification/load_response.hpp"

namespace truewatt::identification {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kHuber = 3.0;          // standard deviations
constexpr double kMostOvershoot = 1.2;  // of the amplitude; 0.71 was measured on an H200
constexpr double kStep = 1e-3;          // of a logarithm, for differences
constexpr double kConverged = 1e-7;     // relative decrease of the cost
constexpr double kWorstDamping = 1e8;
/// Standard deviations of what is believed before anything was read.
constexpr double kLogPrior = 3.0;
constexpr double kDelayPrior = 0.05;  // s

/// Readings per unit of each part of the board's power, and their differences by parameters that
/// have no closed derivative.
struct Columns {
  std::vector<Response> settled;
  std::vector<Response> rise;
  std::vector<Response> overshoot;
};

ObservationModel model_of(const Parameters& p, Structure structure) {
  return {.averaging_window = Seconds(std::exp(p[kLogWindow])),
          .time_constant = Seconds(structure.lag ? std::exp(p[kLogLag]) : 0.0),
          .delay = Seconds(p[kDelay])};
}

/// Evaluates columns and the linear parameters at one point after another.
class Problem {
 public:
  Problem(const FitData& data, Structure structure, double noise_sd,
          std::optional<Parameter> held = std::nullopt)
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

  /// Columns, linear parameters, residuals, cost.
  JointFit at(const Parameters& parameters) {
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
    finish(fit);
    return fit;
  }

  /// Columns of the Jacobian at the point that `at` was last called for: linear parameters first.
  Matrix jacobian(const JointFit& fit, std::vector<std::size_t>& active) {
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

 private:
  Columns columns_at(const Parameters& p) const {
    const ObservationModel model = model_of(p, structure_);
    Columns columns{settled_->at(ticks_, model), {}, {}};
    if (structure_.slow_rise) {
      columns.rise =
          LoadResponse(data_.work, Shape::decay, std::exp(p[kLogRise])).at(ticks_, model);
    }
    if (structure_.overshoot) {
      columns.overshoot =
          LoadResponse(data_.work, Shape::decay, std::exp(p[kLogOvershoot])).at(ticks_, model);
    }
    return columns;
  }

  /// Response of the board's power per watt of amplitude.
  template <class Member>
  double power_part(const Columns& columns, const JointFit& fit, std::size_t k,
                    Member member) const {
    double sum = columns.settled[k].*member;
    if (!columns.rise.empty()) sum -= fit.rise_share * columns.rise[k].*member;
    if (!columns.overshoot.empty()) sum += fit.overshoot_share * columns.overshoot[k].*member;
    return sum;
  }

  /// A meter sees the idle drift itself.
  bool drifts() const { return data_.measured == nullptr; }

  double slope(const JointFit& fit, std::size_t k) const {
    return fit.amplitude_w * power_part(columns_, fit, k, &Response::by_time);
  }

  void weigh(JointFit& fit) const {
    for (std::size_t k = 0; k < ticks_.size(); ++k) {
      const double by_time = slope(fit, k) * data_.readings[k].time_sd;
      fit.sds[k] = std::sqrt(noise_sd_ * noise_sd_ + by_time * by_time);
    }
  }

  /// Idle, drift, amplitude and the shares, each share free or at its bound.
  void solve(JointFit& fit) const {
    std::optional<double> rise = structure_.slow_rise ? std::nullopt : std::optional(0.0);
    std::optional<double> overshoot = structure_.overshoot ? std::nullopt : std::optional(0.0);
    for (int round = 0; round < 3; ++round) {
      solve_with(fit, rise, overshoot);
      const double low = fit.rise_share;
      const double high = fit.overshoot_share;
      bool changed = false;
      if (!rise && !(low >= 0.0 && low <= 1.0)) {
        rise = low > 1.0 ? 1.0 : 0.0;
        changed = true;
      }
      if (!overshoot && !(high >= 0.0 && high <= kMostOvershoot)) {
        overshoot = high > kMostOvershoot ? kMostOvershoot : 0.0;
        changed = true;
      }
      if (!changed) return;
    }
  }

  void solve_with(JointFit& fit, std::optional<double> rise,
                  std::optional<double> overshoot) const {
    const int unknowns = 2 + (drifts() ? 1 : 0) + (rise ? 0 : 1) + (overshoot ? 0 : 1);
    Matrix gram = Matrix::Zero(unknowns, unknowns);
    Vector right = Vector::Zero(unknowns);
    Vector row(unknowns);
    for (std::size_t k = 0; k < ticks_.size(); ++k) {
      int j = 0;
      row[j++] = 1.0;
      if (drifts()) row[j++] = ticks_[k] - middle_;
      double settled = columns_.settled[k].reading;
      if (rise && *rise != 0.0) settled -= *rise * columns_.rise[k].reading;
      if (overshoot && *overshoot != 0.0) settled += *overshoot * columns_.overshoot[k].reading;
      row[j++] = settled;
      if (!rise) row[j++] = columns_.rise[k].reading;
      if (!overshoot) row[j++] = columns_.overshoot[k].reading;
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
    fit.rise_share = rise ? *rise : -solution[j++] / fit.amplitude_w;
    fit.overshoot_share = overshoot ? *overshoot : solution[j++] / fit.amplitude_w;
    residuals(fit);
  }

  static double huber_weight(const JointFit& fit, std::size_t k) {
    if (fit.residuals.empty()) return 1.0;
    const double size = std::abs(fit.residuals[k]) / fit.sds[k];
    return size <= kHuber ? 1.0 : kHuber / size;
  }

  void residuals(JointFit& fit) const {
    fit.residuals.resize(ticks_.size());
    for (std::size_t k = 0; k < ticks_.size(); ++k) {
      const double modelled = fit.idle_w + fit.drift_w_per_s * (ticks_[k] - middle_) +
                              fit.amplitude_w * power_part(columns_, fit, k, &Response::reading);
      fit.residuals[k] = data_.readings[k].value - modelled;
    }
  }

  void finish(JointFit& fit) const {
    fit.cost = 0.0;
    for (std::size_t k = 0; k < ticks_.size(); ++k) {
      const double size = std::abs(fit.residuals[k]) / fit.sds[k];
      fit.cost += size <= kHuber ? size * size / 2 : kHuber * (size - kHuber / 2);
      fit.cost += std::log(fit.sds[k] / noise_sd_);
    }
  }

  std::vector<std::size_t> active_parameters(const JointFit& fit) const {
    std::vector<std::size_t> active{kLogWindow, kDelay};
    if (structure_.lag) active.push_back(kLogLag);
    if (structure_.slow_rise && fit.rise_share > 0.0) active.push_back(kLogRise);
    if (structure_.overshoot && fit.overshoot_share > 0.0) active.push_back(kLogOvershoot);
    if (held_) std::erase(active, *held_);
    return active;
  }

  std::vector<Vector> linear_columns(const JointFit& fit) const {
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
      columns[j++][i] = power_part(columns_, fit, k, &Response::reading);
      if (rise) columns[j++][i] = fit.amplitude_w * columns_.rise[k].reading;
      if (over) columns[j++][i] = fit.amplitude_w * columns_.overshoot[k].reading;
    }
    return columns;
  }

  Vector derivative(const JointFit& fit, std::size_t parameter) const {
    const auto count = static_cast<Eigen::Index>(ticks_.size());
    Vector result(count);
    const auto fill = [&](auto value) {
      for (Eigen::Index i = 0; i < count; ++i) result[i] = value(static_cast<std::size_t>(i));
    };
    const double a = fit.amplitude_w;
    const double window = std::exp(fit.parameters[kLogWindow]);
    if (parameter == kLogWindow) {
      fill([&](std::size_t k) {
        return a * window * power_part(columns_, fit, k, &Response::by_window);
      });
    } else if (parameter == kDelay) {
      fill([&](std::size_t k) { return -a * power_part(columns_, fit, k, &Response::by_time); });
    } else {
      Parameters moved = fit.parameters;
      moved[parameter] += kStep;
      const Columns columns = columns_moved(moved, parameter);
      fill([&](std::size_t k) {
        return a *
               (power_part(columns, fit, k, &Response::reading) -
                power_part(columns_, fit, k, &Response::reading)) /
               kStep;
      });
    }
    return result;
  }

  /// The columns at `moved`, of which only those that depend on `parameter` are computed.
  Columns columns_moved(const Parameters& moved, std::size_t parameter) const {
    if (parameter == kLogLag) return columns_at(moved);
    Columns columns = columns_;
    const ObservationModel model = model_of(moved, structure_);
    auto& column = parameter == kLogRise ? columns.rise : columns.overshoot;
    column = LoadResponse(data_.work, Shape::decay, std::exp(moved[parameter])).at(ticks_, model);
    return columns;
  }

  FitData data_;
  Structure structure_;
  double noise_sd_;
  std::optional<Parameter> held_;
  double middle_ = 0.0;
  std::vector<double> ticks_;
  std::optional<LoadResponse> settled_;
  Columns columns_;
};

Vector weights_of(const JointFit& fit) {
  Vector weights(static_cast<Eigen::Index>(fit.sds.size()));
  for (std::size_t k = 0; k < fit.sds.size(); ++k) {
    const double size = std::abs(fit.residuals[k]) / fit.sds[k];
    weights[static_cast<Eigen::Index>(k)] =
        (size <= kHuber ? 1.0 : kHuber / size) / (fit.sds[k] * fit.sds[k]);
  }
  return weights;
}

Eigen::Map<const Vector> as_vector(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

Parameters clamped(Parameters p) {
  p[kLogWindow] = std::clamp(p[kLogWindow], std::log(0.2e-3), std::log(1.6));
  p[kDelay] = std::clamp(p[kDelay], -20e-3, 80e-3);
  p[kLogLag] = std::clamp(p[kLogLag], std::log(0.5e-3), std::log(3.0));
  p[kLogRise] = std::clamp(p[kLogRise], std::log(1e-3), std::log(1.5));
  p[kLogOvershoot] = std::clamp(p[kLogOvershoot], std::log(5e-3), std::log(1.5));
  return p;
}

JointFit fit_from(const FitData& data, Structure structure, const Parameters& start,
                  double noise_sd_w, int most_iterations, std::optional<Parameter> held) {
  Problem problem(data, structure, noise_sd_w, held);
  JointFit best = problem.at(clamped(start));
  double damping = 1e-3;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    std::vector<std::size_t> active;
    const Matrix jacobian = problem.jacobian(best, active);
    const Vector weights = weights_of(best);
    const Matrix weighted = weights.asDiagonal() * jacobian;
    const Matrix gram = jacobian.transpose() * weighted;
    const Vector gradient = weighted.transpose() * as_vector(best.residuals);
    const auto linear = gram.cols() - static_cast<Eigen::Index>(active.size());
    bool improved = false;
    while (!improved && damping < kWorstDamping) {
      Matrix damped = gram;
      for (Eigen::Index j = linear; j < gram.cols(); ++j) damped(j, j) *= 1.0 + damping;
      const Vector step = damped.ldlt().solve(gradient);
      Parameters moved = best.parameters;
      for (std::size_t j = 0; j < active.size(); ++j) {
        const double most = active[j] == kDelay ? 0.03 : 1.0;
        moved[active[j]] += std::clamp(step[linear + static_cast<Eigen::Index>(j)], -most, most);
      }
      JointFit next = problem.at(clamped(moved));
      improved = std::isfinite(next.cost) && next.cost < best.cost;
      if (!improved) {
        damping *= 8;
        continue;
      }
      damping = std::max(damping / 8, 1e-9);
      const double gained = best.cost - next.cost;
      best = std::move(next);
      if (gained < kConverged * std::max(1.0, std::abs(best.cost))) return best;
    }
    if (!improved) break;
    // The columns kept are those of the last point tried; that was the best one.
  }
  return best;
}

std::vector<double> readings_of(const JointFit& fit, std::span<const energy::Tick> readings,
                                std::span<const Work> work) {
  std::vector<double> ticks;
  for (const energy::Tick& reading : readings) ticks.push_back(reading.time);
  const Parameters& p = fit.parameters;
  const ObservationModel model = model_of(p, fit.structure);
  const auto settled = LoadResponse(work, Shape::settled).at(ticks, model);
  const auto rise = LoadResponse(work, Shape::decay, std::exp(p[kLogRise])).at(ticks, model);
  const auto over = LoadResponse(work, Shape::decay, std::exp(p[kLogOvershoot])).at(ticks, model);
  std::vector<double> values;
  for (std::size_t k = 0; k < ticks.size(); ++k) {
    values.push_back(fit.idle_w +
                     fit.amplitude_w * (settled[k].reading - fit.rise_share * rise[k].reading +
                                        fit.overshoot_share * over[k].reading));
  }
  return values;
}

double likely_noise(const JointFit& fit) {
  // What the ticks' times explain of each variance.
  std::vector<double> known;
  for (const double sd : fit.sds) known.push_back(sd * sd - fit.noise_sd_w * fit.noise_sd_w);
  double most = -1e300;
  double best = fit.noise_sd_w;
  constexpr int kCandidates = 122;  // from 0.1 mW to 100 W
  for (int i = 0; i < kCandidates; ++i) {
    const double noise = 1e-4 * std::pow(1.12, i);
    double likelihood = 0.0;
    for (std::size_t k = 0; k < known.size(); ++k) {
      const double variance = noise * noise + std::max(known[k], 0.0);
      const double size = fit.residuals[k] * fit.residuals[k] / variance;
      // Outliers must not set the noise of all.
      const double loss =
          size <= kHuber * kHuber ? size / 2 : kHuber * (std::sqrt(size) - kHuber / 2);
      likelihood -= std::log(variance) / 2 + loss;
    }
    if (likelihood > most) {
      most = likelihood;
      best = noise;
    }
  }
  return best;
}

void add_covariance(JointFit& fit, const FitData& data) {
  Problem problem(data, fit.structure, fit.noise_sd_w);
  JointFit here = problem.at(fit.parameters);
  std::vector<std::size_t> active;
  const Matrix jacobian = problem.jacobian(here, active);
  const Vector weights = weights_of(here);
  const Matrix weighted = weights.asDiagonal() * jacobian;
  const auto linear = jacobian.cols() - static_cast<Eigen::Index>(active.size());
  Matrix gram = jacobian.transpose() * weighted;
  // Where the readings say nothing, these priors keep the covariance finite.
  for (std::size_t i = 0; i < active.size(); ++i) {
    const double prior = active[i] == kDelay ? kDelayPrior : kLogPrior;
    gram(linear + static_cast<Eigen::Index>(i), linear + static_cast<Eigen::Index>(i)) +=
        1.0 / (prior * prior);
  }
  const Matrix inverse = gram.ldlt().solve(Matrix::Identity(jacobian.cols(), jacobian.cols()));
  const double freedom = std::max(1.0, static_cast<double>(jacobian.rows() - jacobian.cols()));
  double chi2 = 0.0;
  Vector sandwich_weights(jacobian.rows());
  for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
    const double r = here.residuals[static_cast<std::size_t>(i)];
    chi2 += weights[i] * r * r;
    const double leverage = weights[i] * jacobian.row(i).dot(inverse * jacobian.row(i).transpose());
    const double shrunk = weights[i] * r / std::max(0.1, 1.0 - leverage);
    sandwich_weights[i] = shrunk * shrunk;
  }
  const Matrix meat = jacobian.transpose() * sandwich_weights.asDiagonal() * jacobian;
  const Matrix sandwich = inverse * meat * inverse;
  const Matrix plain = inverse * std::max(1.0, chi2 / freedom);
  constexpr double kWiden = 1.1 * 1.1;
  const auto linear_sd = [&](Eigen::Index i) {
    return std::sqrt(std::max(plain(i, i), sandwich(i, i)));
  };
  fit.idle_sd_w = linear_sd(0);
  fit.amplitude_sd_w = linear_sd(data.measured ? 1 : 2);
  fit.covariance = {};
  for (std::size_t i = 0; i < active.size(); ++i) {
    for (std::size_t j = 0; j < active.size(); ++j) {
      const auto a = linear + static_cast<Eigen::Index>(i);
      const auto b = linear + static_cast<Eigen::Index>(j);
      const double scale_a = std::max(plain(a, a), sandwich(a, a));
      const double scale_b = std::max(plain(b, b), sandwich(b, b));
      const double correlation = plain(a, b) / std::sqrt(plain(a, a) * plain(b, b));
      fit.covariance[active[i]][active[j]] = kWiden * correlation * std::sqrt(scale_a * scale_b);
    }
  }
  fit.fitted = static_cast<std::size_t>(jacobian.cols());
}

}  // namespace truewatt::identification
