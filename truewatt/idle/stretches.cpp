#include "truewatt/idle/stretches.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/energy/aggregate/estimate_budget.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/idle/settling.hpp"

namespace truewatt::idle {
namespace {

/// Of the power in which settling shows.
constexpr Seconds kSlice{0.15};
/// Kept from both edges of a stretch: they are known to some ten milliseconds, and kernels begin
/// with a transient.
constexpr Seconds kEdge{0.3};
/// Active idle is looked for so long behind work.
constexpr Seconds kActive{2.5};
/// SM clocks in one stretch that are further apart are not one clock.
constexpr double kSameClock = 0.05;
constexpr double kHertzOfMegahertz = 1e6;

HostTime at(HostTime time, Seconds later) { return time + to_nanoseconds(later); }
Seconds length_of(const HostSpan& span) { return Seconds(span.end - span.begin); }

/// Powers of the recording in slices, each with the time at which it begins.
struct Slices {
  std::vector<HostTime> begins;
  std::vector<double> power_w;
};

Slices slices_of(const energy::EnergyEstimator& estimator, const HostSpan& whole) {
  Slices slices;
  const auto points = static_cast<std::size_t>(std::ceil(length_of(whole) / kSlice));
  const auto power = estimator.power({whole.begin, whole.end, ""}, whole.begin, points);
  if (!power) return slices;
  const double half = power->t_s.size() > 1 ? (power->t_s[1] - power->t_s[0]) / 2 : 0.0;
  for (std::size_t i = 0; i < power->t_s.size(); ++i) {
    slices.begins.push_back(at(whole.begin, Seconds(power->t_s[i] - half)));
    slices.power_w.push_back(power->power_w[i]);
  }
  return slices;
}

/// When the power of a stretch had settled.
std::optional<HostTime> settling_of(const Slices& slices, const HostSpan& span) {
  const auto first = std::lower_bound(slices.begins.begin(), slices.begins.end(), span.begin);
  const auto last = std::lower_bound(first, slices.begins.end(), at(span.end, -kSlice));
  const auto from = static_cast<std::size_t>(first - slices.begins.begin());
  const auto count = static_cast<std::size_t>(last - first);
  const auto settled = settled_after(std::span(slices.power_w).subspan(from, count));
  if (!settled) return std::nullopt;
  // Within the first slice nothing shows.
  return *settled == 0 ? span.begin : slices.begins[from + *settled];
}

/// When the SM clock had come to the one that it has at the stretch's end.
HostTime clock_settling_of(const Recording& recording, const HostSpan& span) {
  std::vector<const HealthSample*> noted;
  for (const HealthSample& health : recording.health) {
    const bool within = health.time >= span.begin && health.time <= span.end;
    if (within && health.sm_clock_mhz) noted.push_back(&health);
  }
  HostTime settled = span.begin;
  bool moves = false;
  for (const HealthSample* one : noted) {
    const double last_mhz = *noted.back()->sm_clock_mhz;
    const bool is_last = std::abs(*one->sm_clock_mhz - last_mhz) <= kSameClock * last_mhz;
    if (is_last && moves) settled = one->time;
    moves = !is_last;
  }
  return settled;
}

HostSpan counted_of(const Stretch& stretch, const std::optional<HostTime>& settled) {
  const HostSpan inner{at(stretch.span.begin, kEdge), at(stretch.span.end, -kEdge)};
  if (stretch.rung == Rung::active) {
    return {inner.begin, std::min(inner.end, at(stretch.span.begin, kActive))};
  }
  const HostTime from = settled ? *settled : at(inner.end, -length_of(inner) / 3);
  return {std::max(inner.begin, from), inner.end};
}

class MeanOf {
 public:
  void add(const std::optional<double>& value) {
    if (!value) return;
    sum_ += *value;
    least_ = count_ > 0 ? std::min(least_, *value) : *value;
    most_ = count_ > 0 ? std::max(most_, *value) : *value;
    ++count_;
  }
  std::optional<double> mean() const {
    return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt;
  }
  bool moved() const { return count_ > 0 && most_ - least_ > kSameClock * most_; }

 private:
  double sum_ = 0.0;
  double least_ = 0.0;
  double most_ = 0.0;
  int count_ = 0;
};

std::optional<double> scaled(const std::optional<double>& value, double factor) {
  return value ? std::optional(factor * *value) : std::nullopt;
}

void look_at_health(const Recording& recording, const HostSpan& span, SeenStretch& found) {
  MeanOf sm;
  MeanOf memory;
  MeanOf utilization;
  for (const HealthSample& health : recording.health) {
    if (health.time < span.begin || health.time > span.end) continue;
    sm.add(scaled(health.sm_clock_mhz, kHertzOfMegahertz));
    memory.add(scaled(health.memory_clock_mhz, kHertzOfMegahertz));
    utilization.add(scaled(health.utilization_percent, 0.01));
    if (health.memory_used_bytes) {
      found.seen.memory_used_bytes = static_cast<double>(*health.memory_used_bytes);
    }
    if (health.p_state) found.seen.p_state = health.p_state;
    if (health.temperature_c) found.seen.temperature_c = health.temperature_c;
  }
  found.seen.sm_clock_hz = sm.mean();
  found.seen.memory_clock_hz = memory.mean();
  found.seen.utilization = utilization.mean();
  found.clock_moved = sm.moved();
}

std::vector<Window> marks_of(std::span<const Stretch> stretches) {
  std::vector<Window> marks;
  for (const Stretch& one : stretches) {
    if (one.rung != Rung::resident && one.rung != Rung::spinning) continue;
    marks.push_back({one.span.begin, one.span.end, std::string(to_string(one.rung))});
  }
  return marks;
}

}  // namespace

std::vector<SeenStretch> look_at(const Recording& recording, const energy::Knowledge& knowledge,
                                 const energy::EstimateOptions& options,
                                 std::span<const Stretch> stretches) {
  std::vector<SeenStretch> all;
  if (stretches.empty()) return all;
  const std::vector<Window> marks = marks_of(stretches);
  const energy::EnergyEstimator estimator(recording, knowledge, options, marks);
  HostSpan whole = stretches.front().span;
  for (const Stretch& one : stretches) whole.end = std::max(whole.end, one.span.end);
  const Slices slices = slices_of(estimator, whole);
  int run = 0;
  for (const Stretch& one : stretches) {
    SeenStretch found{.rung = one.rung};
    auto settled = settling_of(slices, one.span);
    if (settled) settled = std::max(*settled, clock_settling_of(recording, one.span));
    found.has_settled = settled.has_value();
    if (settled && one.reached) found.settled = Seconds(*settled - one.span.begin);
    const HostSpan span = counted_of(one, settled);
    ++run;
    if (length_of(span) >= kSlice) {
      const auto estimate = estimator.estimate({span.begin, span.end, "idle"});
      if (estimate.energy) {
        found.power_w = energy::budget_of(estimate, energy::Quantity::gross, {"idle", run})
                            .scaled(1 / length_of(span).count());
        found.counted = length_of(span);
      }
      look_at_health(recording, span, found);
    }
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace truewatt::idle
