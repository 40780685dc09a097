#include "truewatt/energy/former/source_age.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// A settled first stretch was published within so many periods of the window's end.
constexpr double kSettledPeriods = 2.0;
/// So late boards themselves are on the mean, at most: rises of 209 to 306 ms from 10 to 90 % on
/// GeForce (Yang 2024's spreadsheet), as lines.
constexpr double kBoardLateness = 0.306 / 0.8 / 2;  // s
/// Equal consecutive values make intervals of up to so many periods.
constexpr int kMostMultiples = 10;

/// A source that shows the load sooner than its published age allows has other behaviour.
bool settles_too_soon(const RecordedAge& recorded, const Interval& published) {
  const double settled_by = recorded.settle_s + kSettledPeriods * recorded.update_period_s;
  return recorded.fell_at_end && published.lower > settled_by;
}

bool shows_too_late(const RecordedAge& recorded, const Interval& published) {
  return recorded.least_late_s &&
         *recorded.least_late_s > published.upper + kBoardLateness + recorded.update_period_s;
}

}  // namespace

std::optional<Interval> published_age(const SourceProfile& published) {
  if (!published.update_period_s || !published.delay_s) return std::nullopt;
  const Interval none{0.0, 0.0, 0.0, 0.95};
  const Interval delay = *published.delay_s;
  const Interval lag = published.time_constant_s.value_or(none);
  const Interval window = published.averaging_window_s.value_or(none);
  const double value = delay.value + lag.value + window.value / 2;
  const auto side = [&](double of_delay, double of_lag, double of_window) {
    return numerics::quadrature({of_delay, of_lag, of_window / 2});
  };
  return Interval{
      value,
      value - side(delay.value - delay.lower, lag.value - lag.lower, window.value - window.lower),
      value + side(delay.upper - delay.value, lag.upper - lag.value, window.upper - window.value),
      0.95};
}

std::optional<bool> period_agrees(const SourceProfile& published, const Interval& recorded_s,
                                  std::span<const ticks::Tick> ticks) {
  if (!published.update_period_s) return std::nullopt;
  const Interval& period = *published.update_period_s;
  std::vector<double> brackets;
  for (const ticks::Tick& tick : ticks) brackets.push_back(tick.time_sd * std::sqrt(12.0));
  const auto bracket = numerics::median(std::move(brackets));
  if (!bracket || *bracket > period.lower / 2) return std::nullopt;
  for (int multiple = 1; multiple <= kMostMultiples; ++multiple) {
    const bool meets =
        recorded_s.upper >= multiple * period.lower && recorded_s.lower <= multiple * period.upper;
    if (meets) return true;
  }
  return recorded_s.lower > kMostMultiples * period.upper ? std::nullopt : std::optional(false);
}

RecordedAge recorded_age(std::span<const Stretch> all, const PaddedInput& input,
                         const WindowEdges& edges) {
  RecordedAge recorded{.settle_s = edges.settle_s, .update_period_s = input.update_period};
  const Stretch* last = nullptr;
  for (const Stretch& stretch : all) {
    if (stretch.begin >= input.begin && stretch.end <= input.end) last = &stretch;
  }
  recorded.fell_at_end = last && last->power > edges.limits.idle.ceiling;
  const Missing missing = missing_at_begin(all, input, edges.limits);
  const double step = missing.level_w - edges.before_w;
  if (recorded.fell_at_end && step > 0) {
    recorded.least_late_s = std::min(missing.joules, edges.tail.joules) / step;
  }
  return recorded;
}

SourceAge age_from(const RecordedAge& recorded) {
  if (recorded.settle_s == 0.0) return {kUsualAge, std::nullopt};
  return {{recorded.settle_s / 2, recorded.settle_s / std::sqrt(12.0)}, std::nullopt};
}

SourceAge age_from(const RecordedAge& recorded, const Interval& published_s) {
  SourceAge age = age_from(recorded);
  if (settles_too_soon(recorded, published_s) || shows_too_late(recorded, published_s)) {
    age.published_agrees = false;
    return age;
  }
  if (recorded.fell_at_end) age.published_agrees = true;
  const double sd = standard_uncertainty_of(published_s);
  age.age_s = {published_s.value, std::max(sd, age.age_s.standard_uncertainty)};
  return age;
}

}  // namespace truewatt::energy
