#include "truewatt/microbenchmark/baselines.hpp"

#include "truewatt/microbenchmark/idle.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::microbenchmark {

int Baselines::add(const Batch& batch) {
  idle_w_.push_back(*batch.idle_w);
  changes_w_.push_back(batch.idle_change_w);
  return static_cast<int>(changes_w_.size()) - 1;
}

void Baselines::add_spin(const Point& point) {
  if (point.of.share >= 1.0 && point.clock_hz) clock_hz_ = point.clock_hz;
  spin_w_[point.of.share].push_back(
      uncertainty::difference(point.energy_j, point.idle_j).scaled(1 / point.length.count()));
}

std::vector<Point> Baselines::steady(const std::vector<Point>& points) const {
  const std::vector<bool> steady = steady_batches(changes_w_);
  std::vector<Point> kept;
  for (const Point& point : points) {
    if (steady[static_cast<std::size_t>(point.batch)]) kept.push_back(point);
  }
  return kept;
}

double Baselines::idle_u_w() const {
  const std::vector<bool> steady = steady_batches(changes_w_);
  std::vector<double> changes;
  for (std::size_t i = 0; i < steady.size(); ++i) {
    if (steady[i]) changes.push_back(changes_w_[i]);
  }
  return idle_uncertainty(changes);
}

std::optional<uncertainty::Budget> Baselines::spin_at(double share) const {
  const auto found = spin_w_.find(share);
  if (found == spin_w_.end()) return std::nullopt;
  return as_baseline(uncertainty::mean_of_runs(found->second).budget);
}

bool Baselines::idles_above_spinning() const {
  const auto spin = spin_at(1.0);
  return spin && uncertainty::interval_of(*spin).upper < 0;
}

std::optional<Interval> Baselines::idle_w() const {
  if (idle_w_.empty()) return std::nullopt;
  uncertainty::Budget idle = uncertainty::mean_of_runs(idle_w_).budget;
  idle.add(uncertainty::Cause::pause_idle, idle_u_w());
  return uncertainty::interval_of(idle.without(uncertainty::is_scale));
}

std::optional<Interval> Baselines::spin_w() const {
  const auto spin = spin_at(1.0);
  if (!spin) return std::nullopt;
  return uncertainty::interval_of(spin->without(uncertainty::is_scale));
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
