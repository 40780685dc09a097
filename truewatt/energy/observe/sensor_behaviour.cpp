// What is known of a sensor, as characterized or as published, and what is assumed of another.
#include "truewatt/energy/observe/sensor_behaviour.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/model/catalogue_profile.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// By how much a source's age differs from run to run beyond what a fit of one run knows.
constexpr double kRunToRun = 0.3e-3;  // s
/// Nobody sees samples that are closer than this from what they add up to.
constexpr double kFinestSamples = 1e-3;  // s
/// The filter before every driver's ring that was characterized so far, on two kinds of board.
constexpr Uncertain kUsualRingFilter{0.013, 0.006};
constexpr double kUsualRingAgeSd = 0.008;
/// A counter may have the same or none.
constexpr Uncertain kUsualCounterFilter{0.0065, 0.0065};
/// Of its period: a counter may add what it looked at at a tick's begin, in all of it, or at its
/// end.
constexpr double kUsualCounterAge = 0.25;
/// A driver's average is over a second; whether it is, the readings say.
constexpr Uncertain kUsualAverage{1.0, 0.2};
/// ... where they say so; fits to recorded boards found 0.98 to 1.02 s.
constexpr Uncertain kTrailing{1.0, 0.02};
/// Of its period, what another sensor looks at: nobody knows whether all of it or a moment.
constexpr Uncertain kUsualShare{0.5, 0.29};

double sd_of(const std::optional<Interval>& x) { return x ? standard_uncertainty_of(*x) : 0.0; }

/// Age and time constant are one error where the delay, age less time constant, is known better
/// than either: so a slow filter's.
void tie_age_to_lag(Behaviour& behaviour, const SourceProfile& profile) {
  /// A window whose error is more than this share of theirs is the third.
  constexpr double kWindowShare = 0.3;
  const double age = standard_uncertainty_of(profile.fitted->age_s);
  const double lag = behaviour.lag_sd;
  if (!profile.delay_s || !(age > 0) || !(lag > 0)) return;
  if (behaviour.window_sd / 2 > kWindowShare * std::min(age, lag)) return;
  const double delay = standard_uncertainty_of(*profile.delay_s);
  const double correlation =
      std::clamp((age * age + lag * lag - delay * delay) / (2 * age * lag), 0.0, 1.0);
  behaviour.age_by_lag = correlation * age / lag;
  behaviour.age.standard_uncertainty =
      numerics::quadrature({age * std::sqrt(1 - correlation * correlation), kRunToRun});
}

/// A counter that adds up readings: where they leave time out, as looks.
void count_looks(Behaviour& behaviour, const SourceProfile& profile) {
  constexpr double kSame = 0.1;
  // Of a counter that jitters a window is found that is none; and readings about as long as the
  // period leave nothing out, so that what their ticks err by cancels in the sum.
  constexpr double kShorter = 0.9;
  constexpr double kLonger = 1.5;
  constexpr double kMany = 4.0;
  // Of other counters the window is an increment's.
  const double window = std::max(0.0, profile.fitted->averaging_window_s.value);
  const double every = profile.counter->inner_period_s.value_or(behaviour.period);
  const bool is_whole = window > kShorter * behaviour.period && window < kLonger * behaviour.period;
  behaviour.adds_one = profile.averaging_window_s.has_value() && !is_whole &&
                       std::abs(every - behaviour.period) < kSame * behaviour.period;
  const double seen = window + 2 * behaviour.time_constant;
  if (seen < kShorter * every && every > kMany * kFinestSamples) {
    behaviour.looks = {every, std::max(window, kFinestSamples)};
  } else {
    behaviour.blur = window;
    behaviour.sampled_every = every;
  }
}

Behaviour characterized(const SourceProfile& profile) {
  const FittedModel& fitted = *profile.fitted;
  const double window = std::max(0.0, fitted.averaging_window_s.value);
  Behaviour behaviour{
      .period = value_of(profile.update_period_s),
      .window = counts_energy(profile.source) ? 0.0 : window,
      .window_sd = standard_uncertainty_of(fitted.averaging_window_s),
      .time_constant = std::max(0.0, fitted.time_constant_s.value),
      .age = {fitted.age_s.value,
              numerics::quadrature({standard_uncertainty_of(fitted.age_s), kRunToRun})},
      .is_characterized = true,
      .integrates = profile.counter && profile.counter->counting == Counting::all};
  behaviour.lag_sd = standard_uncertainty_of(fitted.time_constant_s);
  const bool may_integrate = profile.counter && profile.counter->counting == Counting::unresolved;
  if (behaviour.integrates || may_integrate) {
    behaviour.sampled_every = profile.counter->inner_period_s.value_or(kFinestSamples);
  }
  if (profile.counter && profile.counter->counting == Counting::sampled) {
    count_looks(behaviour, profile);
  }
  behaviour.is_cached = has_reason(profile, ProfileReason::client_cache);
  behaviour.jitter = std::max(0.0, fitted.jitter_s);
  if (profile.counter && profile.counter->gap_begin_s && profile.counter->gap_length_s) {
    const double length = profile.counter->gap_length_s->value;
    behaviour.gap = {*profile.counter->gap_begin_s, length};
    // What it charges by its end makes what is counted younger, by half of its length.
    behaviour.age.value += length * length / 2 / behaviour.period;
  }
  tie_age_to_lag(behaviour, profile);
  return behaviour;
}

Behaviour published(const SourceProfile& profile) {
  const double window = value_of(profile.averaging_window_s);
  const double lag = value_of(profile.time_constant_s);
  return {.period = value_of(profile.update_period_s),
          .window = window,
          .window_sd = sd_of(profile.averaging_window_s),
          .lag_sd = sd_of(profile.time_constant_s),
          .time_constant = lag,
          .age = {value_of(profile.delay_s) + lag + window / 2,
                  numerics::quadrature({sd_of(profile.delay_s), sd_of(profile.time_constant_s),
                                        sd_of(profile.averaging_window_s) / 2})},
          .is_published = true};
}

}  // namespace

const SourceProfile* profile_of(const Profile* profile, SourceId source) {
  const SourceProfile* found = profile ? find_source(*profile, source) : nullptr;
  return found && !is_too_slow(*found) ? found : nullptr;
}

double value_of(const std::optional<Interval>& x) { return x ? std::max(0.0, x->value) : 0.0; }

bool comes_as_published(const SourceProfile& published, double period) {
  if (!published.update_period_s) return true;
  const double times = std::max(1.0, std::round(period / published.update_period_s->value));
  return period >= 0.99 * times * published.update_period_s->lower &&
         period <= 1.01 * times * published.update_period_s->upper;
}

Behaviour behaviour_of(SourceId source, const Knowledge& knowledge) {
  const SourceProfile* own = profile_of(knowledge.profile, source);
  if (own && own->fitted && own->update_period_s) return characterized(*own);
  const SourceProfile* known = profile_of(knowledge.published, source);
  return known ? published(*known) : Behaviour{.is_known = false};
}

void assume_shortest(Behaviour& behaviour, const SourceProfile& published) {
  if (!published.averaging_window_s) return;
  const double shortest = published.averaging_window_s->lower / (1 - catalogue::kWindowShare);
  if (shortest > behaviour.window / 2) return;  // there is one
  behaviour.window = shortest;
  behaviour.age.value = value_of(published.delay_s) + behaviour.window / 2;
}

void assume_usual(Behaviour& behaviour, SourceId source, double period) {
  if (comes_in_ring(source)) {
    behaviour.time_constant = kUsualRingFilter.value;
    behaviour.lag_sd = kUsualRingFilter.standard_uncertainty;
    behaviour.age.standard_uncertainty = kUsualRingAgeSd;
    return;
  }
  if (counts_energy(source)) {
    behaviour.time_constant = kUsualCounterFilter.value;
    behaviour.lag_sd = kUsualCounterFilter.standard_uncertainty;
    behaviour.age.standard_uncertainty = kUsualCounterAge * period;
    return;
  }
  const bool is_average = source.kind == SourceKind::power_average;
  const Uncertain window =
      is_average ? kUsualAverage
                 : Uncertain{kUsualShare.value * period, kUsualShare.standard_uncertainty * period};
  behaviour.window = window.value;
  behaviour.window_sd = window.standard_uncertainty;
  behaviour.age = {
      kUsualAge.value + window.value / 2,
      numerics::quadrature({kUsualAge.standard_uncertainty, window.standard_uncertainty / 2})};
}

void may_be_faster(Behaviour& behaviour, double period) {
  // Half of the usual 100 ms or of 20 ms since a tick: 10 to 50 ms.
  constexpr Uncertain kYounger{0.2, 0.2};  // of the period
  behaviour.age.value -= kYounger.value * period;
  behaviour.age.standard_uncertainty = numerics::quadrature(
      {behaviour.age.standard_uncertainty, kYounger.standard_uncertainty * period});
}

void assume_trailing_second(Behaviour& behaviour) {
  behaviour.window = kTrailing.value;
  behaviour.window_sd = kTrailing.standard_uncertainty;
  behaviour.time_constant = behaviour.lag_sd = behaviour.age_by_lag = 0.0;
  behaviour.age = {
      kUsualAge.value + kTrailing.value / 2,
      numerics::quadrature({kUsualAge.standard_uncertainty, kTrailing.standard_uncertainty / 2})};
}

double slowest_filter(const std::vector<double>& powers, double period) {
  constexpr std::size_t kFewest = 10;
  // s: no GPU's sensor is known to be slower (a Kepler's: 0.84 s). Work that rises in steps or for
  // long, seen once a second, would leave tens of seconds open.
  constexpr double kSlowestKnown = 1.0;
  if (powers.size() < kFewest) return 0.0;
  std::vector<double> sorted = powers;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t tail = sorted.size() / 50;
  const double range = sorted[sorted.size() - 1 - tail] - sorted[tail];
  double step = 0.0;
  for (std::size_t i = 2; i < powers.size(); ++i) {
    step = std::max(step, std::abs(powers[i] - powers[i - 2]));
  }
  if (!(step > 0 && step < range)) return 0.0;
  return std::min(kSlowestKnown, -2 * period / std::log1p(-step / range));
}

bool is_no_mean_over(double window, const std::vector<ObservedReading>& readings, double period) {
  constexpr std::size_t kFewest = 10;
  constexpr double kPeriods = 4.0;     // of a window that shows
  constexpr double kLeastStep = 10.0;  // W
  constexpr double kSooner = 0.75;
  constexpr double kLater = 1.25;
  if (readings.size() < kFewest || window < kPeriods * period) return false;
  std::size_t at = 2;
  const auto step = [&readings](std::size_t i) {
    return readings[i].value - readings[i - 2].value;
  };
  for (std::size_t i = 2; i < readings.size(); ++i) {
    if (step(i) > step(at)) at = i;
  }
  if (step(at) < kLeastStep) return false;
  const auto [low, high] =
      std::minmax_element(readings.begin(), readings.end(),
                          [](const auto& a, const auto& b) { return a.value < b.value; });
  if (step(at) < 2 * (2 * period / window) * (high->value - low->value)) return false;
  const double half = readings[at].value - step(at) / 2;
  for (std::size_t i = at; i < readings.size(); ++i) {
    const double since = readings[i].time - readings[at].time;
    if (since > kLater * window) return true;
    if (readings[i].value < half) return since < kSooner * window;
  }
  return false;
}

void assume_slow(Behaviour& behaviour, double slowest, double period) {
  // What is usual, and a window of up to two periods, is as slow as this.
  const double usual = behaviour.time_constant + 2 * behaviour.lag_sd + period;
  const double slower = slowest - usual;
  if (slower <= 0) return;
  behaviour.time_constant += slower / 2;
  behaviour.age.value += slower / 2;
  behaviour.lag_sd = numerics::quadrature({behaviour.lag_sd, slower / 2});
  behaviour.age_by_lag = 1.0;
}

}  // namespace truewatt::energy
