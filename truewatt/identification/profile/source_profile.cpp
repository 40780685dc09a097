#include "truewatt/identification/profile/source_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/identification/artefacts/client_cache.hpp"
#include "truewatt/identification/artefacts/computed_readings.hpp"
#include "truewatt/identification/artefacts/rise_time.hpp"
#include "truewatt/identification/counter/counter_fit.hpp"
#include "truewatt/identification/profile/placed_readings.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/grid_agreement.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::identification {
namespace {

/// A driver behind a client's cache updates about this often (H200: every millisecond).
constexpr Seconds kCacheFilled{1e-3};
/// A source that sees so much of the time sees all of it.
constexpr double kComplete = 0.98;
/// A window is resolved when it is known to a millisecond or 3 %, a time constant to 5 %.
constexpr double kWindowShare = 0.03;
constexpr double kWindowLeast = 1e-3;  // s
constexpr double kLagShare = 0.05;

/// The smallest step between readings that occurs again and again.
std::optional<double> quantum_of(const std::vector<ticks::Tick>& readings) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double step = std::abs(readings[i].value - readings[i - 1].value);
    if (step > 0) steps.push_back(step);
  }
  if (steps.size() < 10) return std::nullopt;
  std::sort(steps.begin(), steps.end());
  // Candidates from coarse to fine; the first that divides (nearly) every step.
  constexpr int kFinest = -6;
  for (int decimal = 0; decimal >= kFinest; --decimal) {
    const double quantum = std::pow(10.0, decimal);
    const auto whole = std::count_if(steps.begin(), steps.end(), [quantum](double step) {
      return std::abs(step / quantum - std::round(step / quantum)) < 0.01;
    });
    if (whole >= static_cast<std::ptrdiff_t>(steps.size() * 98 / 100)) return quantum;
  }
  return std::nullopt;
}

ResponseClass response_of(const ObservationFit& fit, double period) {
  const double window = fit.averaging_window.value;
  const double lag = fit.time_constant.value;
  // Rise times, 10-90 %: 0.8 W of a boxcar, 2.2 C of a lag.
  if (std::max(0.8 * window, 2.2 * lag) <= period) return ResponseClass::instant;
  return 2.2 * lag > 0.8 * window ? ResponseClass::exponential : ResponseClass::ramp;
}

SourceVerdict verdict_of(double duty, double window, double period) {
  if (window > 1.5 * period) return SourceVerdict::trailing;
  return duty >= kComplete ? SourceVerdict::complete : SourceVerdict::part_time;
}

/// Half-width over what is asked for.
double width_of(const Interval& x, double share, double least) {
  const double half = std::max(x.upper - x.value, x.value - x.lower);
  return half / std::max(share * x.value, least);
}

bool is_known(const Interval& x, double share, double least) {
  return width_of(x, share, least) <= 1.0;
}

/// An energy counter counts all of the time, or what its increments show.
void describe_counter(SourceProfile& profile, const CounterFit& counter) {
  const double period = profile.update_period_s->value;
  CounterProfile found{.counting = counter.counting};
  if (counter.strays_s > 0) {
    // Of a reading more or less nobody knows how much of the time it looks at.
    profile.duty.reset();
    profile.verdict = {};
    found.inner_period_s = counter.strays_s;
    profile.fitted->jitter_s = std::max(profile.fitted->jitter_s, counter.strays_s / 2);
  } else {
    profile.duty = counter.duty(period);
    profile.verdict =
        *profile.duty >= kComplete ? SourceVerdict::complete : SourceVerdict::part_time;
  }
  if (counter.counting == Counting::sampled) found.inner_period_s = counter.inner_period;
  if (counter.counting == Counting::gap) {
    found.gap_begin_s = counter.gap_begin;
    found.gap_length_s = counter.gap_length;
  }
  profile.counter = std::move(found);
  if (counter.was_reset) profile.reasons.emplace_back(ProfileReason::counter_reset);
}

/// A source whose readings are computed from the load's activity says nothing of the board's
/// joules.
void describe_computed(SourceProfile& profile, const CharacterizedSource& source,
                       const std::vector<Work>& work) {
  constexpr double kFinestStep = 1e-6;  // W
  const auto levels = computed_levels({source.readings, work}, source.fit->joint,
                                      profile.quantum.value_or(kFinestStep));
  if (!levels) return;
  profile.response = ResponseClass::estimated;
  profile.verdict = SourceVerdict::unusable;
  profile.duty.reset();
  profile.reasons.emplace_back(ProfileReason::computed_not_measured);
}

/// How long a source of which `earlier` is known remembers work, s; at least the idle that follows
/// work below full.
double memory_of(const CharacterizedSource* earlier, double lags = 5.0) {
  constexpr double kShortest = 0.7;
  if (!earlier || !earlier->fit) return kShortest;
  const auto& p = earlier->fit->joint.parameters;
  const double lag = earlier->fit->joint.structure.lag ? std::exp(p[kLogLag]) : 0.0;
  return std::max(kShortest, std::exp(p[kLogWindow]) + lags * lag);
}

/// Update period, of the source or of the client's cache before it, and the readings' times.
bool find_ticks(CharacterizedSource& source, const Trace& trace, HostTime origin) {
  SourceProfile& profile = source.profile;
  source.readings = ticks::publications(trace, origin);
  profile.update_period_s = ticks::update_period(source.readings);
  if (!profile.update_period_s) return false;
  const auto cache = client_cache_period(trace, profile.update_period_s->value);
  if (cache) {
    profile.update_period_s = cache;
    source.readings = refreshes(trace, origin);
    profile.reasons.emplace_back(ProfileReason::client_cache);
  }
  return true;
}

/// How the board comes up to work. Parts that are hardly known alone are known together; nothing
/// where one is as large as is looked for, which no board's is.
std::optional<std::vector<BoardTransient>> board_transients(const JointFit& fit) {
  std::vector<BoardTransient> transients;
  for (const Part& part : kParts) {
    const double share = fit.*part.share;
    if (part.shape != Shape::decay || !(fit.structure.*part.present)) continue;
    // All of a step may rise slowly.
    if (share >= part.most && part.sign > 0) return std::nullopt;
    const double unknown = std::sqrt(std::max(fit.covariance[part.time][part.time], 0.0));
    const double time_constant = std::exp(fit.parameters[part.time]);
    transients.push_back({interval95({-part.sign * share, fit.*part.share_sd}),
                          interval95({time_constant, time_constant * unknown})});
  }
  return transients;
}

}  // namespace

std::vector<ticks::Tick> readings_of_work(const Trace& trace, HostTime origin,
                                          const std::vector<Work>& work,
                                          const CharacterizedSource& known) {
  auto readings = publications_of(trace, origin, known.profile);
  if (!known.profile.update_period_s || work.empty()) return {};
  // What was before the first work is no idle between work: 3e-4 of it may be left.
  constexpr double kLags = 8.0;
  const double from = work.front().begin + memory_of(&known, kLags);
  std::erase_if(readings, [from](const ticks::Tick& tick) { return tick.time < from; });
  if (!counts_energy(trace.source)) return readings;
  return increments(readings, known.profile.update_period_s->value);
}

std::vector<ticks::Tick> publications_of(const Trace& trace, HostTime origin,
                                         const SourceProfile& profile) {
  return has_reason(profile, ProfileReason::client_cache) ? refreshes(trace, origin)
                                                          : ticks::publications(trace, origin);
}

std::vector<ticks::Tick> all_readings(const CharacterizedSource& source) {
  std::vector<ticks::Tick> all = source.readings;
  all.insert(all.end(), source.level_readings.begin(), source.level_readings.end());
  std::sort(all.begin(), all.end(),
            [](const ticks::Tick& a, const ticks::Tick& b) { return a.time < b.time; });
  return all;
}

void describe_fit(CharacterizedSource& source) {
  SourceProfile& profile = source.profile;
  const ObservationFit& fit = *source.fit;
  for (const ProfileReason reason :
       {ProfileReason::averaging_window_not_resolved, ProfileReason::time_constant_not_resolved,
        ProfileReason::lag_attribution_ambiguous, ProfileReason::thermal_drift}) {
    std::erase(profile.reasons, reason);
  }
  if (fit.joint.structure.warmth) profile.reasons.emplace_back(ProfileReason::thermal_drift);
  profile.averaging_window_s.reset();
  profile.time_constant_s.reset();
  profile.delay_s = fit.delay;
  profile.total_lag_s = interval95({total_lag(fit.joint), fit.joint.total_lag_sd_s});
  profile.fitted = FittedModel{fit.averaging_window, fit.time_constant,
                               interval95({sensor_lag(fit.joint), sensor_lag_sd(fit.joint)})};
  profile.fitted->jitter_s = source.jitter_s;
  profile.fitted->board = board_transients(fit.joint);
  profile.rise_time_s = rise_time(fit.joint);
  if (is_known(fit.averaging_window, kWindowShare, kWindowLeast)) {
    profile.averaging_window_s = fit.averaging_window;
  } else {
    profile.reasons.emplace_back(ProfileReason::averaging_window_not_resolved);
  }
  if (fit.time_constant.value == 0.0 || is_known(fit.time_constant, kLagShare, 0.0)) {
    profile.time_constant_s = fit.time_constant;
  } else {
    profile.reasons.emplace_back(ProfileReason::time_constant_not_resolved);
  }
  const double period = profile.update_period_s->value;
  const double window = fit.averaging_window.value;
  profile.response = response_of(fit, period);
  profile.duty =
      std::min(1.0, equivalent_window(fit.averaging_window, fit.time_constant).value / period);
  profile.verdict = verdict_of(*profile.duty, window, period);
  if (fit.lag_ambiguous) {
    profile.time_constant_s.reset();
    profile.reasons.emplace_back(ProfileReason::lag_attribution_ambiguous);
  }
}

namespace {

void move(Interval& late, const Interval& by) {
  late.lower += by.lower;
  late.value += by.value;
  late.upper += by.upper;
}

}  // namespace

void be_later(SourceProfile& profile, const Interval& by) {
  move(*profile.delay_s, by);
  move(*profile.total_lag_s, by);
  move(profile.fitted->age_s, by);
}

namespace {

double usual_call(const Trace& trace) {
  std::vector<double> calls;
  for (const Sample& sample : trace.samples) {
    if (sample.call) calls.push_back(Seconds(*sample.call).count());
  }
  return numerics::median(std::move(calls)).value_or(0.0);
}

/// By how much all ticks of a counter may be later than they are taken to be: what the brackets
/// leave open of their grid, and, where in its call the driver reads the counter not being known,
/// half a call on either side.
Interval phase_doubt(const Trace& trace, const std::vector<ticks::Tick>& readings,
                     const Interval& period, bool on_grid) {
  constexpr Interval kNone{0.0, 0.0, 0.0, 0.95};
  const double half_call = usual_call(trace) / 2;
  Interval shift = ticks::common_shift(readings, period).value_or(kNone);
  // Where ticks were seen is another place than the grid through all of them.
  if (!on_grid) shift.value = 0.0;
  shift.lower = std::min(shift.lower, shift.value - half_call);
  shift.upper = std::max(shift.upper, shift.value + half_call);
  return shift;
}

/// What the increments of a counter say, all of whose ticks may be later by `shift`.
void describe_counted(CharacterizedSource& source, const CounterFit& counter,
                      const Interval& shift) {
  SourceProfile& profile = source.profile;
  source.fit = counter.fit;
  source.counted_age_s = counter.age;
  const double half = half_width_of(shift);
  source.fit->averaging_window.lower -= half;
  source.fit->averaging_window.upper += half;
  describe_fit(source);
  be_later(profile, shift);
  source.fit->delay = *profile.delay_s;
  const Interval older = interval95({counter.older, counter.older_sd});
  move(*profile.total_lag_s, older);
  // A tick counts what its increment, half a period older on average, ends with.
  const double half_period = profile.update_period_s->value / 2;
  move(profile.fitted->age_s, older);
  move(profile.fitted->age_s, {-half_period, -half_period, -half_period});
  describe_counter(profile, counter);
  if (profile.delay_s->upper >= 0) return;
  // Nobody counts what comes later: the parts of the lag were told apart by a wrong model.
  profile.delay_s.reset();
  profile.reasons.emplace_back(ProfileReason::delay_not_resolved);
  if (profile.averaging_window_s.has_value()) {
    profile.reasons.emplace_back(ProfileReason::averaging_window_not_resolved);
  }
  if (profile.time_constant_s.has_value()) {
    profile.reasons.emplace_back(ProfileReason::time_constant_not_resolved);
  }
  profile.averaging_window_s.reset();
  profile.time_constant_s.reset();
  profile.counter = CounterProfile{.counting = Counting::unresolved};
  if (counter.strays_s > 0) profile.counter->inner_period_s = counter.strays_s;
  const double age = std::max(0.0, profile.fitted->age_s.value);
  profile.fitted->time_constant_s = {age, 0.0, 2 * age};
}

}  // namespace

CharacterizedSource characterize_source(const Trace& trace, HostTime origin,
                                        const std::vector<Work>& work, double from,
                                        const CharacterizedSource* earlier) {
  CharacterizedSource source;
  SourceProfile& profile = source.profile;
  profile.source = trace.source;
  const auto give_up = [&](ProfileReason reason) {
    profile.reasons.emplace_back(reason);
    return source;
  };
  profile.verdict = SourceVerdict::unusable;
  if (trace.samples.empty()) return give_up(ProfileReason::no_readings);
  if (!find_ticks(source, trace, origin)) return give_up(ProfileReason::update_period_not_found);
  profile.verdict = {};
  profile.quantum = quantum_of(source.readings);
  std::erase_if(source.readings, [from](const ticks::Tick& tick) { return tick.time < from; });
  const double period = profile.update_period_s->value;
  std::vector<JointFit> known;
  if (earlier && earlier->fit) known = earlier->fit->structures;
  if (counts_energy(trace.source)) {
    const auto counter = fit_counter(source.readings, work, period, known);
    if (!counter) return give_up(ProfileReason::too_few_readings);
    const Interval shift =
        phase_doubt(trace, source.readings, *profile.update_period_s, counter->on_grid);
    source.readings = increments(source.readings, period);
    describe_counted(source, *counter, shift);
    return source;
  }
  if (!fit_readings(source, work, memory_of(earlier), known)) {
    return give_up(ProfileReason::too_few_readings);
  }
  describe_fit(source);
  describe_computed(profile, source, work);
  const bool cached = has_reason(profile, ProfileReason::client_cache);
  if (cached) {
    // What fills a client's cache is up to one update of its own old, which nobody sees, and was
    // fetched at any time of the call.
    const double update = kCacheFilled.count();
    be_later(profile, {-update / 2, -update - usual_call(trace), 0.0});
  }
  return source;
}

bool is_resolved(const CharacterizedSource& source, double share) {
  if (!source.fit) {
    // More of the load would not help these.
    return has_reason(source.profile, ProfileReason::no_readings);
  }
  const Interval& lag = source.fit->time_constant;
  return is_known(source.fit->averaging_window, share * kWindowShare, share * kWindowLeast) &&
         (lag.value == 0.0 || is_known(lag, share * kLagShare, 0.0));
}

std::optional<double> time_to_resolve(const CharacterizedSource& source, double duration_s) {
  constexpr double kLongest = 3600.0;  // s
  constexpr double kMargin = 1.1;
  if (!source.fit || is_resolved(source)) return std::nullopt;
  const Interval& window = source.fit->averaging_window;
  const Interval& lag = source.fit->time_constant;
  const bool bounded_only =
      (window.lower == 0.0 && window.upper > kWindowLeast) || (lag.value > 0.0 && lag.lower == 0.0);
  if (bounded_only) return std::nullopt;
  double width = width_of(window, kWindowShare, kWindowLeast);
  if (lag.value > 0.0) width = std::max(width, width_of(lag, kLagShare, 0.0));
  const double needed = kMargin * duration_s * width * width;
  return needed <= kLongest ? std::optional(needed) : std::nullopt;
}

double distance_to_resolved(const JointFit& fit, const Expected& expected) {
  const double window = std::exp(fit.parameters[kLogWindow]);
  const double allowed = std::max(kWindowShare, kWindowLeast / window);
  return kCoverageFactor95 *
         std::max(expected.log_window_sd / allowed, expected.log_lag_sd / kLagShare);
}

}  // namespace truewatt::identification
