// The readings of one source, placed where they looked.
#include "truewatt/energy/observe/observed_source.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/observe/physical_limits.hpp"
#include "truewatt/energy/observe/placed_readings.hpp"
#include "truewatt/energy/observe/reading_scatter.hpp"
#include "truewatt/energy/observe/sensor_behaviour.hpp"
#include "truewatt/energy/observe/sparse_samples.hpp"
#include "truewatt/energy/observe/sum_steps.hpp"
#include "truewatt/energy/observe/trailing_second.hpp"
#include "truewatt/energy/results/least_power.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// The relative gain and offset of two sources of one board that nobody held against a meter.
constexpr double kRelativeGain = 0.05;
constexpr double kRelativeOffset = 5.0;  // W
/// A shorter window is looked at as a point in its middle ...
constexpr double kShortestWindow = 2.5e-3;  // s
/// ... where a filter before it is slower, or where it is not known to so many standard deviations.
constexpr double kSure = 3.0;
constexpr double kMoment = 1e-4;  // s
/// Of a trailing average no more than so many overlapping windows are used at a time.
constexpr double kMostOpen = 12.0;

/// Whether a look's length matters: edges of work, and a board that rises, change within it.
bool is_known_window(const Behaviour& behaviour) {
  const double least = std::max({kMoment, kSure * behaviour.window_sd, behaviour.time_constant});
  return behaviour.window >= kShortestWindow || behaviour.window > least;
}

/// Power of each reading but the first; of a counter its mean since the reading before.
std::vector<double> powers_of(const std::vector<ObservedReading>& readings, bool counter) {
  std::vector<double> powers;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (counter && readings[i].is_first) continue;
    const double length = readings[i].time - readings[i - 1].time;
    if (!(length > 0)) continue;
    powers.push_back(counter ? readings[i].value / length : readings[i].value);
  }
  return powers;
}

void thin(ObservedSource& source) {
  const auto every = static_cast<std::size_t>(std::ceil(source.window / source.period / kMostOpen));
  if (source.look != Look::average || every <= 1) return;
  std::vector<ObservedReading> kept;
  for (std::size_t i = 0; i < source.readings.size(); i += every) {
    kept.push_back(source.readings[i]);
  }
  source.readings = std::move(kept);
}

/// What a board in use cannot draw is no reading.
std::vector<ObservedReading> possible(std::vector<ObservedReading> readings, double most_w) {
  std::erase_if(readings, [most_w](const ObservedReading& reading) {
    return !(reading.value > kDrawsNothing && reading.value <= most_w);
  });
  return readings;
}

void blur(ObservedSource& source) {
  source.blurred_sd = shape_sd(source);
  for (ObservedReading& reading : source.readings) {
    reading.time_sd = numerics::quadrature({reading.time_sd, source.blurred_sd});
  }
}

/// A counter that adds one reading a period is that reading, wherever two of its counts are a
/// period apart. False where few are.
bool takes_apart(Placed& counted, Behaviour& behaviour) {
  const double period = counted.period;
  if (!behaviour.adds_one) return false;
  std::vector<ObservedReading> means;
  for (std::size_t i = 1; i < counted.readings.size(); ++i) {
    const ObservedReading& count = counted.readings[i];
    if (count.is_first || count.time - counted.readings[i - 1].time > 1.5 * period) continue;
    means.push_back({count.time, count.time_sd, count.value / period});
  }
  if (2 * means.size() < counted.readings.size()) return false;
  counted.readings = std::move(means);
  counted.quantum /= period;
  behaviour.window = behaviour.looks ? behaviour.looks->length : behaviour.blur;
  behaviour.looks.reset();
  behaviour.blur = 0.0;
  behaviour.sampled_every = 0.0;
  // A counter's age is that of what it counted in a period.
  behaviour.age.value += period / 2;
  return true;
}

/// Sums of readings that are means over a window: of the power half a window earlier, but for what
/// it stepped by within half a window of their ends (by as much in a second as readings show, which
/// spread each step over the window).
void place_sums(ObservedSource& source) {
  constexpr double kAtEnds = 1.0 / 160;  // of the window's cube and the steps' variance in a second
  const double spread = source.window / source.period;
  for (ObservedReading& sum : source.readings) {
    if (!(sum.span > 0)) continue;
    sum.time -= source.window / 2;
    const double share = source.window / sum.span;
    sum.span_sd *= std::sqrt(1 + kAtEnds / kBetweenSteps * spread * spread * spread * share);
  }
}

/// Why readings are no measurement, whatever the source.
std::optional<Reason> why_not_measured(const ObservedSource& source) {
  const bool counter = source.look == Look::counter;
  const double nothing = counter ? kDrawsNothing * source.period : kDrawsNothing;
  const bool draws = std::any_of(source.readings.begin(), source.readings.end(),
                                 [nothing](const auto& r) { return r.value > nothing; });
  if (!draws) return counter ? Reason::no_readings_in_window : Reason::no_usable_source;
  return std::nullopt;
}

}  // namespace

double shape_sd(const ObservedSource& source) {
  constexpr double kShape = 0.5;
  return kShape * numerics::quadrature({source.lag_sd, source.window_sd / 2});
}

Observed observed(const Trace& recorded, const Knowledge& knowledge, HostTime origin,
                  double limit_w, bool is_trailing) {
  const auto is_no_number = [](const Sample& sample) { return !std::isfinite(sample.value); };
  if (std::any_of(recorded.samples.begin(), recorded.samples.end(), is_no_number)) {
    Trace numbers = recorded;
    std::erase_if(numbers.samples, is_no_number);
    return observed(numbers, knowledge, origin, limit_w, is_trailing);
  }
  const Trace& trace = recorded;
  constexpr std::size_t kFewest = 3;
  const double most_w = most_shown(limit_w);
  Behaviour behaviour = behaviour_of(trace.source, knowledge);
  Placed placed = placed_readings(trace, origin, behaviour.period, limit_w, behaviour.is_cached);
  double slowest = 0.0;
  std::optional<bool> as_published;
  if (behaviour.is_published) {
    const SourceProfile& published = *profile_of(knowledge.published, trace.source);
    if (is_no_mean_over(behaviour.window, placed.readings, placed.period)) {
      assume_shortest(behaviour, published);
    }
    as_published = comes_as_published(published, placed.period);
    if (!*as_published) {
      behaviour = Behaviour{.is_known = false};
      placed = placed_readings(trace, origin, 0.0, limit_w);
    }
  }
  // What is published as a slow filter rises for a second, too.
  constexpr double kSlowFilter = 0.3;  // s
  const bool is_slow = as_published.value_or(false) && behaviour.time_constant > kSlowFilter;
  const bool may_trail = !behaviour.is_characterized && !is_slow && !comes_in_ring(trace.source) &&
                         !counts_energy(trace.source);
  if (may_trail &&
      (is_trailing || show_trailing_second(possible(placed.readings, most_w), placed.period))) {
    assume_trailing_second(behaviour);
  } else if (!behaviour.is_known) {
    // An average by name alone, as where a driver shows one reading under two names.
    SourceId like = trace.source;
    const bool is_average = like.kind == SourceKind::power_average;
    if (is_average && step_at_once(possible(placed.readings, most_w))) {
      like.kind = SourceKind::power_instant;
    }
    assume_usual(behaviour, like, placed.sensor_period);
    if (placed.is_log && !counts_energy(like) && like.kind != SourceKind::power_average) {
      may_be_faster(behaviour, placed.sensor_period);
    }
    if (like.kind != SourceKind::power_average) {
      const auto powers = powers_of(placed.readings, counts_energy(trace.source));
      slowest = slowest_filter(powers, placed.period);
      assume_slow(behaviour, slowest, placed.period);
    }
  }
  // Of one reading a tick that looks at samples further apart, some ticks hold none.
  const double apart = counts_energy(trace.source) ? samples_apart(placed.readings) : 0.0;
  if (apart > 0) {
    behaviour.adds_one = false;
    behaviour.looks.reset();
    behaviour.sampled_every = apart;
  }
  const bool counter = counts_energy(trace.source) && !takes_apart(placed, behaviour);
  ObservedSource source{.source = trace.source,
                        .time_constant = behaviour.time_constant,
                        .age_sd = behaviour.age.standard_uncertainty,
                        .gain_sd = kRelativeGain,
                        .offset_sd = kRelativeOffset,
                        .is_characterized = behaviour.is_characterized,
                        .integrates = behaviour.integrates,
                        .gap = behaviour.gap,
                        .looks = behaviour.looks,
                        .blur = behaviour.blur,
                        .sampled_every = behaviour.sampled_every,
                        .as_published = as_published};
  const bool is_average = is_known_window(behaviour) && !counter;
  source.look = counter ? Look::counter : is_average ? Look::average : Look::point;
  source.window = is_average ? behaviour.window : 0.0;
  source.lag_sd = behaviour.lag_sd;
  source.age_by_lag = behaviour.age_by_lag;
  source.slowest = slowest;
  source.window_sd = is_average ? behaviour.window_sd : 0.0;
  if (placed.readings.size() < kFewest) return {};
  source.period = placed.period;
  source.readings = std::move(placed.readings);
  if (counter) source.perhaps_anew = std::move(placed.perhaps_anew);
  source.leaps = std::move(placed.leaps);
  source.age_sd = numerics::quadrature({source.age_sd, placed.alike_sd});
  source.drift_sd = placed.drift_sd;
  // A look ends the sensor's delay before its tick.
  double delay = behaviour.age.value - behaviour.time_constant - source.window / 2;
  // What one look counts for lies about its middle.
  if (source.looks) delay += (source.looks->every - source.looks->length) / 2;
  source.delay = delay;
  for (ObservedReading& reading : source.readings) {
    reading.time -= delay;
    reading.time_sd =
        numerics::quadrature({reading.time_sd, behaviour.jitter, apart / std::sqrt(12.0)});
  }
  for (TimeSpan& leap : source.leaps) leap = {leap.begin - delay, leap.end - delay};
  place_sums(source);
  if (!behaviour.is_characterized) blur(source);
  if (const auto refusal = why_not_measured(source)) return {.refusal = refusal};
  if (!counter) source.readings = possible(std::move(source.readings), most_w);
  if (source.readings.size() < kFewest) return {.refusal = Reason::above_power_limit};
  source.quantum = placed.quantum;
  const double rounding = placed.quantum / std::sqrt(12.0);
  source.scatter = source.scatter_at_rest = rounding;
  if (!counter) {
    source.scatter = numerics::quadrature({scatter_of(source.readings), rounding});
    source.scatter_at_rest = numerics::quadrature({scatter_at_rest(source.readings), rounding});
  }
  thin(source);
  return {.source = std::move(source)};
}

}  // namespace truewatt::energy
