#include "truewatt/microbenchmark/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "truewatt/microbenchmark/idle.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::microbenchmark {

int Baselines::add(const Batch& batch) {
  idle_w_.push_back(*batch.idle_w);
  changes_w_.push_back(batch.idle_change_w);
  return static_cast<int>(changes_w_.size()) - 1;
}

void Baselines::add_spin(const Point& point) {
  if (point.of.share >= 1.0 && point.clock_hz) clock_hz_ = point.clock_hz;
  Spins& spins = spins_[point.of.share];
  spins.above_idle_w.push_back(
      uncertainty::difference(point.energy_j, point.idle_j).scaled(1 / point.length.count()));
  spins.batches.push_back(point.batch);
}

std::vector<Point> Baselines::steady(const std::vector<Point>& points) const {
  const std::vector<bool> steady = steady_batches(changes_w_);
  std::vector<Point> kept;
  for (const Point& point : points) {
    if (steady[static_cast<std::size_t>(point.batch)]) kept.push_back(point);
  }
  return kept;
}

double Baselines::steady_share() const {
  if (changes_w_.empty()) return 1.0;
  const std::vector<bool> steady = steady_batches(changes_w_);
  return static_cast<double>(std::count(steady.begin(), steady.end(), true)) /
         static_cast<double>(steady.size());
}

double Baselines::idle_u_w() const {
  const std::vector<bool> steady = steady_batches(changes_w_);
  std::vector<double> changes;
  for (std::size_t i = 0; i < steady.size(); ++i) {
    if (steady[i]) changes.push_back(changes_w_[i]);
  }
  return idle_uncertainty(changes);
}

double Baselines::active_idle_w() const {
  constexpr double kActive = 0.04;  // of idle; warmth adds less
  const std::vector<bool> steady = steady_batches(changes_w_);
  double changes = 0.0;
  double idle = 0.0;
  for (std::size_t i = 0; i < steady.size(); ++i) {
    if (!steady[i]) continue;
    changes += changes_w_[i];
    idle += idle_w_[i].value();
  }
  if (!(changes > kActive * idle)) return 0.0;
  return changes / static_cast<double>(std::count(steady.begin(), steady.end(), true));
}

/// Few recordings have one share's; all of them together tell how spins scatter.
uncertainty::RunMean Baselines::mean_of(const Spins& spins) const {
  std::vector<std::vector<double>> of_share;
  std::vector<uncertainty::Budget> all;
  for (const auto& [share, others] : spins_) {
    std::vector<double>& column = of_share.emplace_back(all.size(), 0.0);
    column.resize(all.size() + others.above_idle_w.size(), 1.0);
    all.insert(all.end(), others.above_idle_w.begin(), others.above_idle_w.end());
  }
  for (std::vector<double>& column : of_share) column.resize(all.size(), 0.0);
  return uncertainty::mean_of_runs(spins.above_idle_w,
                                   {.scatter = uncertainty::scatter_of(of_share, all)});
}

std::optional<uncertainty::Budget> Baselines::spin_at(double share) const {
  const auto found = spins_.find(share);
  if (found == spins_.end()) return std::nullopt;
  return as_baseline(mean_of(found->second).budget);
}

std::optional<uncertainty::Budget> Baselines::spin_beside(double share,
                                                          std::span<const Point> points) const {
  const auto found = spins_.find(share);
  if (found == spins_.end()) return std::nullopt;
  const uncertainty::RunMean mean = mean_of(found->second);
  std::map<int, double> differ = shares_by_batch(points);
  for (std::size_t i = 0; i < mean.weights.size(); ++i) {
    differ[found->second.batches[i]] -= mean.weights[i];
  }
  const double idle = idle_u_w();
  double beside = 0.0;  // of the weights, squared
  for (const auto& [batch, by] : differ) beside += by * by;
  double own = 0.0;
  double alone = 0.0;
  for (std::size_t i = 0; i < mean.weights.size(); ++i) {
    const double weight = mean.weights[i];
    own += std::pow(weight * found->second.above_idle_w[i].part(uncertainty::averages_out), 2);
    alone += weight * weight;
  }
  // What spins scatter by has the idle beneath them in it.
  const double scatter = std::pow(mean.budget.part(uncertainty::averages_out), 2);
  uncertainty::Budget spin = mean.budget.without(uncertainty::averages_out);
  spin.add(uncertainty::Cause::pause_idle,
           std::sqrt(std::max(own, scatter - idle * idle * alone) + idle * idle * beside));
  return spin;
}

bool Baselines::idles_above_spinning() const {
  // All rows hang on it, and of boards that draw the same either way one in forty falls below an
  // interval of 95 %.
  const auto spin = spin_at(1.0);
  if (!spin) return false;
  const Interval above = uncertainty::interval_of(*spin);
  return above.upper < -half_width_of(above);
}

double Baselines::clock_share(const Point& point) const {
  return clock_hz_ && point.clock_hz ? *point.clock_hz / *clock_hz_ : 1.0;
}

bool Baselines::is_of_another_clock(const Point& point) const {
  constexpr double kSameClock = 0.97;
  const double share = clock_share(point);
  return std::min(share, 1.0 / share) < kSameClock;
}

std::optional<Interval> Baselines::idle_w() const {
  if (idle_w_.empty()) return std::nullopt;
  uncertainty::Budget idle = uncertainty::mean_of_runs(idle_w_).budget;
  idle.add(uncertainty::Cause::pause_idle, numerics::quadrature({idle_u_w(), active_idle_w()}));
  return uncertainty::interval_on_scale(idle);
}

std::optional<std::string> Baselines::note_of_active_idle() const {
  const double higher = active_idle_w();
  if (higher == 0.0) return std::nullopt;
  return fmt::format(
      "the board idles {:.0f} W higher after kernels than before them: so much is open of what "
      "stands above idle, and nothing of what stands above spinning",
      higher);
}

std::optional<Interval> Baselines::spin_w() const {
  const auto spin = spin_at(1.0);
  if (!spin) return std::nullopt;
  return uncertainty::interval_on_scale(*spin);
}

std::optional<double> Baselines::scale() const {
  if (const auto spin = spin_at(1.0); spin && spin->value() > 0) {
    return kCoverageFactor95 * spin->scale_part() / spin->value();
  }
  if (idle_w_.empty()) return std::nullopt;
  const uncertainty::Budget idle = uncertainty::mean_of_runs(idle_w_).budget;
  return kCoverageFactor95 * idle.scale_part() / idle.value();
}

}  // namespace truewatt::microbenchmark
