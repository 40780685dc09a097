#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/energy/observe/placed_readings.hpp"
#include "truewatt/energy/observe/reading_scatter.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::energy {
namespace {

/// The relative gain and offset of two sources of one board that nobody held against a meter.
constexpr double kRelativeGain = 0.05;
constexpr double kRelativeOffset = 5.0;  // W
/// By how much a source's age differs from run to run beyond what a fit of one run knows.
constexpr double kRunToRun = 0.3e-3;  // s
/// Age of what nobody knows the sensor of: a 13 ms filter read 1-2 ms late, known to its own size.
constexpr Uncertain kUsualAge{0.015, 0.015};
/// The filter before every driver's ring that was characterized so far, on two kinds of board.
constexpr Uncertain kUsualRingFilter{0.013, 0.006};
constexpr double kUsualRingAgeSd = 0.008;
/// A counter may have the same or none.
constexpr Uncertain kUsualCounterFilter{0.0065, 0.0065};
/// A driver's average is over a second; whether it is, the readings say.
constexpr Uncertain kUsualAverage{1.0, 0.2};
/// Of its period, what another sensor looks at: nobody knows whether all of it or a moment.
constexpr Uncertain kUsualShare{0.5, 0.29};
/// No board in use draws less.
constexpr double kDrawsNothing = 0.5;  // W
/// Where no power limit is known.
constexpr double kLimitOverHighest = 1.5;
/// A window is looked at as a point in its middle where it is shorter than the course is resolved.
constexpr double kShortestWindow = 2.5e-3;  // s
/// Of a trailing average no more than so many overlapping windows are used at a time.
constexpr double kMostOpen = 12.0;

const SourceProfile* profile_of(const Profile* profile, SourceId source) {
  return profile ? find_source(*profile, source) : nullptr;
}

/// Why a source is no evidence of its own of the GPU's power, by what is known of it.
std::optional<Reason> why_no_evidence(const SourceProfile& profile) {
  if (profile.response == ResponseClass::estimated) return Reason::computed_not_measured;
  if (profile.verdict == SourceVerdict::unusable) return Reason::no_usable_source;
  const bool sees_more = has_reason(profile, ProfileReason::observes_module);
  if (sees_more && profile.source.scope == Scope::gpu) return Reason::module_scope;
  return std::nullopt;
}

double value_of(const std::optional<Interval>& x) { return x ? std::max(0.0, x->value) : 0.0; }
double sd_of(const std::optional<Interval>& x) { return x ? standard_uncertainty_of(*x) : 0.0; }

/// Window, filter and age of a source: as characterized, else as published, else as unknown.
struct Behaviour {
  double period = 0.0;  ///< s; 0: not known
  double window = 0.0;
  double window_sd = 0.0;
  double lag_sd = 0.0;
  double age_by_lag = 0.0;
  double time_constant = 0.0;
  Uncertain age = kUsualAge;
  bool is_characterized = false;
  bool integrates = false;  ///< a counter that leaves nothing out
  bool is_known = true;     ///< somebody has said something of it
  bool is_published = false;
  std::optional<ObservedSource::Gap> gap{};
};

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

/// Readings come every so often as is published, or every few of that: values that repeat do not
/// show.
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

/// What may be said of a sensor that nobody knows, by its kind and the period of its readings.
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

/// The time constant of a filter behind which no reading comes nearer to its new level than these
/// do: whoever saw a step in them knows that their filter is faster, s. (The largest step within
/// two readings, since one may look at both sides of it, against the range of nearly all of them.)
double slowest_filter(const std::vector<double>& powers, double period) {
  constexpr std::size_t kFewest = 10;
  if (powers.size() < kFewest) return 0.0;
  std::vector<double> sorted = powers;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t tail = sorted.size() / 50;
  const double range = sorted[sorted.size() - 1 - tail] - sorted[tail];
  double step = 0.0;
  for (std::size_t i = 2; i < powers.size(); ++i) {
    step = std::max(step, std::abs(powers[i] - powers[i - 2]));
  }
  return step > 0 && step < range ? -2 * period / std::log1p(-step / range) : 0.0;
}

/// Readings that nobody knows the sensor of and that never show a step may be those of a slow one.
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

void thin(ObservedSource& source) {
  const auto every = static_cast<std::size_t>(std::ceil(source.window / source.period / kMostOpen));
  if (source.look != Look::average || every <= 1) return;
  std::vector<ObservedReading> kept;
  for (std::size_t i = 0; i < source.readings.size(); i += every) {
    kept.push_back(source.readings[i]);
  }
  source.readings = std::move(kept);
}

/// What no board draws is no reading.
void drop_impossible(ObservedSource& source) {
  const bool counter = source.look == Look::counter;
  std::erase_if(source.readings, [counter](const ObservedReading& reading) {
    return !counter && !(reading.value >= 0 && reading.value <= kNoBoardDraws);
  });
}

/// What is assumed of a sensor's shape is not its shape: what differs is another error of each
/// reading, as of a look at another time.
void blur(ObservedSource& source) {
  constexpr double kShape = 0.5;
  const double sd = kShape * numerics::quadrature({source.lag_sd, source.window_sd / 2});
  for (ObservedReading& reading : source.readings) {
    reading.time_sd = numerics::quadrature({reading.time_sd, sd});
  }
}

std::optional<ObservedSource> observed(const Trace& trace, const Knowledge& knowledge,
                                       HostTime origin) {
  Behaviour behaviour = behaviour_of(trace.source, knowledge);
  Placed placed = placed_readings(trace, origin, behaviour.period);
  std::optional<bool> as_published;
  if (behaviour.is_published) {
    as_published =
        comes_as_published(*profile_of(knowledge.published, trace.source), placed.period);
    if (!*as_published) {
      behaviour = Behaviour{.is_known = false};
      placed = placed_readings(trace, origin, 0.0);
    }
  }
  if (!behaviour.is_known) {
    assume_usual(behaviour, trace.source, placed.sensor_period);
    if (trace.source.kind != SourceKind::power_average) {
      const auto powers = powers_of(placed.readings, counts_energy(trace.source));
      assume_slow(behaviour, slowest_filter(powers, placed.period), placed.period);
    }
  }
  ObservedSource source{.source = trace.source,
                        .time_constant = behaviour.time_constant,
                        .age_sd = behaviour.age.standard_uncertainty,
                        .gain_sd = kRelativeGain,
                        .offset_sd = kRelativeOffset,
                        .is_characterized = behaviour.is_characterized,
                        .integrates = behaviour.integrates,
                        .gap = behaviour.gap,
                        .as_published = as_published};
  const bool counter = counts_energy(trace.source);
  const bool is_average = behaviour.window >= kShortestWindow && !counter;
  source.look = counter ? Look::counter : is_average ? Look::average : Look::point;
  source.window = is_average ? behaviour.window : 0.0;
  source.lag_sd = behaviour.lag_sd;
  source.age_by_lag = behaviour.age_by_lag;
  source.window_sd = is_average ? behaviour.window_sd : 0.0;
  if (placed.readings.size() < 3) return std::nullopt;
  source.period = placed.period;
  source.readings = std::move(placed.readings);
  // A look ends the sensor's delay before its tick.
  const double delay = behaviour.age.value - behaviour.time_constant - source.window / 2;
  source.delay = delay;
  for (ObservedReading& reading : source.readings) reading.time -= delay;
  if (!behaviour.is_characterized) blur(source);
  drop_impossible(source);
  if (source.readings.size() < 3) return std::nullopt;
  const double rounding = placed.quantum / std::sqrt(12.0);
  source.scatter = source.scatter_at_rest = rounding;
  if (!counter) {
    source.scatter = numerics::quadrature({scatter_of(source.readings), rounding});
    source.scatter_at_rest = numerics::quadrature({scatter_at_rest(source.readings), rounding});
  }
  thin(source);
  return source;
}

/// Two calls for one register: nine of ten readings of both at one time have one value.
bool shows_the_same(const ObservedSource& a, const ObservedSource& b) {
  const std::size_t n = std::min(a.readings.size(), b.readings.size());
  if (a.source.kind == b.source.kind || a.look == Look::counter) return false;
  std::size_t same = 0;
  std::size_t j = 0;
  for (const ObservedReading& reading : a.readings) {
    while (j < b.readings.size() && b.readings[j].time < reading.time - a.period / 2) ++j;
    if (j == b.readings.size()) break;
    if (b.readings[j].time > reading.time + a.period / 2) continue;
    same += b.readings[j++].value == reading.value ? 1 : 0;
  }
  return 10 * same >= 9 * n;
}

/// A driver that samples into a ring makes its other power readings of the ring's samples: an
/// average is the mean of many, an instant one the last. Beside the ring they tell nothing new.
void leave_to_ring(ObservedBoard& board) {
  const auto is_ring = [](const ObservedSource& s) { return comes_in_ring(s.source); };
  const auto ring = std::find_if(board.sources.begin(), board.sources.end(), is_ring);
  if (ring == board.sources.end()) return;
  const double period = ring->period;
  std::erase_if(board.sources, [&](const ObservedSource& s) {
    const bool made_of_ring = s.look != Look::counter && s.period > period;
    if (made_of_ring) board.witnesses.push_back(s);
    return made_of_ring;
  });
  // A counter that adds up samples of what the ring samples counts to the last of them.
  for (ObservedSource& s : board.sources) {
    if (s.look != Look::counter || s.integrates || s.gap) continue;
    if (!s.is_characterized) {
      for (ObservedReading& r : s.readings) r.time += ring->time_constant - s.time_constant;
      s.time_constant = ring->time_constant;
      s.lag_sd = ring->lag_sd;
    }
    for (ObservedReading& reading : s.readings) {
      reading.time_sd = numerics::quadrature({reading.time_sd, period / std::sqrt(12.0)});
    }
  }
}

/// An average that nobody characterized is of what another source shows, filter and all.
void share_filter(ObservedBoard& board) {
  const auto is_unknown = [](const ObservedSource& s) {
    return !s.is_characterized && !s.as_published.value_or(false);
  };
  const ObservedSource* slowest = nullptr;
  for (const ObservedSource& s : board.sources) {
    if (!is_unknown(s) || s.source.kind == SourceKind::power_average) continue;
    if (!slowest || s.time_constant > slowest->time_constant) slowest = &s;
  }
  if (!slowest) return;
  for (ObservedSource& s : board.sources) {
    if (!is_unknown(s) || s.source.kind != SourceKind::power_average) continue;
    s.time_constant = slowest->time_constant;
    s.lag_sd = slowest->lag_sd;
    s.age_by_lag = slowest->age_by_lag;
  }
}

/// An average of a board that is known to have a ring is made of what the ring samples.
void note_samples(ObservedBoard& board, const Knowledge& knowledge) {
  const SourceProfile* ring =
      profile_of(knowledge.profile, {SourceKind::power_samples, board.scope});
  if (!ring || !ring->fitted || !ring->update_period_s) return;
  for (ObservedSource& s : board.sources) {
    if (s.look != Look::average || s.window < 2 * ring->update_period_s->value) continue;
    s.made_of = {ring->update_period_s->value, value_of(ring->fitted->time_constant_s)};
  }
}

void note_bounds(ObservedBoard& board) {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = 0.0;
  for (const ObservedSource& source : board.sources) {
    for (std::size_t i = 0; i < source.readings.size(); ++i) {
      double power = source.readings[i].value;
      if (source.look == Look::counter) {
        if (source.readings[i].is_first) continue;
        const double length = source.readings[i].time - source.readings[i - 1].time;
        if (length < source.period / 2) continue;
        power /= length;
      }
      lowest = std::min(lowest, power);
      highest = std::max(highest, power);
    }
  }
  board.lowest_w = std::isfinite(lowest) ? lowest : 0.0;
  board.limit_w = kLimitOverHighest * highest;
}

/// A reading tells of the time of its look, and of so many periods beside it.
constexpr double kTellsBeside = 1.5;

void note_read_time(ObservedBoard& board) {
  std::vector<TimeSpan> spans;
  for (const ObservedSource& source : board.sources) {
    for (std::size_t i = 0; i < source.readings.size(); ++i) {
      const ObservedReading& reading = source.readings[i];
      const double beside = kTellsBeside * source.period;
      double begin = reading.time - std::max(source.window, reading.span) - beside;
      if (source.look == Look::counter && !reading.is_first) begin = source.readings[i - 1].time;
      spans.push_back({begin, reading.time + beside});
    }
  }
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.begin < b.begin; });
  for (const TimeSpan& span : spans) {
    if (board.read.empty() || span.begin > board.read.back().end) {
      board.read.push_back(span);
    } else {
      board.read.back().end = std::max(board.read.back().end, span.end);
    }
  }
}

/// Why readings are no measurement, whatever the source.
std::optional<Reason> why_not_measured(const ObservedSource& source) {
  const bool draws = std::any_of(source.readings.begin(), source.readings.end(),
                                 [](const auto& r) { return r.value > kDrawsNothing; });
  if (!draws && source.look != Look::counter) return Reason::no_usable_source;
  if (!draws) return Reason::no_readings_in_window;
  return std::nullopt;
}

}  // namespace

namespace {

/// Sources of one scope, which are never mixed with another's.
void add_sources(ObservedBoard& board, Scope scope, const Recording& recording,
                 const Knowledge& knowledge, const std::optional<SourceId>& only) {
  for (const Trace& trace : recording.traces) {
    if (trace.source.scope != scope || trace.samples.empty()) continue;
    if (only && trace.source != *only) continue;
    const Profile* known = knowledge.profile ? knowledge.profile : knowledge.published;
    if (const SourceProfile* profile = profile_of(known, trace.source)) {
      if (const auto reason = why_no_evidence(*profile)) {
        board.dropped.push_back({trace.source, *reason});
        continue;
      }
    }
    auto source = observed(trace, knowledge, board.origin);
    if (!source) continue;
    if (const auto reason = why_not_measured(*source)) {
      board.dropped.push_back({trace.source, *reason});
      continue;
    }
    const bool again =
        std::any_of(board.sources.begin(), board.sources.end(),
                    [&](const auto& other) { return shows_the_same(*source, other); });
    if (!again) board.sources.push_back(std::move(*source));
  }
}

}  // namespace

ObservedBoard observe(const Recording& recording, const Knowledge& knowledge,
                      const std::optional<SourceId>& only) {
  ObservedBoard board;
  const auto first = first_reading(recording);
  if (!first) return board;
  board.origin = *first;
  board.scope = only ? only->scope : Scope::gpu;
  add_sources(board, board.scope, recording, knowledge, only);
  if (board.sources.empty() && !only) {
    // Of a superchip, the module's counter tells more than nothing.
    board.scope = Scope::module;
    add_sources(board, board.scope, recording, knowledge,
                SourceId{SourceKind::energy_counter, Scope::module});
  }
  leave_to_ring(board);
  share_filter(board);
  note_samples(board, knowledge);
  std::stable_sort(board.sources.begin(), board.sources.end(), [](const auto& a, const auto& b) {
    return row_of(a.source.kind).believed < row_of(b.source.kind).believed;
  });
  note_bounds(board);
  note_read_time(board);
  return board;
}

}  // namespace truewatt::energy
