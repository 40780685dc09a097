#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "truewatt/energy/observe/count_faults.hpp"
#include "truewatt/energy/observe/frozen_readings.hpp"
#include "truewatt/energy/observe/look.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/energy/observe/observed_source.hpp"
#include "truewatt/energy/observe/physical_limits.hpp"
#include "truewatt/energy/observe/read_time.hpp"
#include "truewatt/energy/observe/relative_scale.hpp"
#include "truewatt/energy/observe/sensor_behaviour.hpp"
#include "truewatt/energy/observe/trailing_second.hpp"
#include "truewatt/energy/results/least_power.hpp"
#include "truewatt/model/product_names.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// No board, and no module of several, is known to have a higher limit, W.
constexpr double kHighestLimit = 1500.0;
constexpr double kHighestModuleLimit = 3000.0;
/// A board may draw so much more than it was seen to.
constexpr double kLimitOverHighest = 1.5;

/// Why a source is no evidence of its own of the GPU's power, by what is known of it.
std::optional<Reason> why_no_evidence(const SourceProfile& profile) {
  if (profile.response == ResponseClass::estimated) return Reason::computed_not_measured;
  if (profile.verdict == SourceVerdict::unusable) return Reason::no_usable_source;
  const bool sees_more = has_reason(profile, ProfileReason::observes_module) ||
                         has_reason(profile, ProfileReason::module_scope);
  if (sees_more && profile.source.scope == Scope::gpu) return Reason::module_scope;
  return std::nullopt;
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
    if (s.look != Look::counter || s.integrates || s.gap || s.looks) continue;
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

/// A counter that nobody characterized may add up what a power source shows, or what that filters:
/// its time constant stays what is usual, and is known less well.
void share_slowness(ObservedSource& counter, double slowest) {
  const double slower = slowest - (counter.time_constant + 2 * counter.lag_sd);
  if (slower <= 0) return;
  counter.lag_sd = numerics::quadrature({counter.lag_sd, slower / std::sqrt(3.0)});
  counter.age_by_lag = 1.0;
}

/// An average that nobody characterized is of what another source shows, filter and all.
void share_filter(ObservedBoard& board) {
  const auto is_unknown = [](const ObservedSource& s) {
    return !s.is_characterized && !s.as_published.value_or(false);
  };
  double may_be = 0.0;
  for (const ObservedSource& s : board.sources) {
    if (is_unknown(s) && s.look != Look::counter) may_be = std::max(may_be, s.slowest);
  }
  for (ObservedSource& s : board.sources) {
    if (is_unknown(s) && s.look == Look::counter) share_slowness(s, may_be);
  }
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

/// The highest power limit that it may have, W.
double highest_limit(const Recording& recording, Scope scope) {
  if (scope != Scope::gpu) return kHighestModuleLimit;
  if (recording.device.power_limit) return recording.device.power_limit->value();
  return catalogue::highest_power_limit(recording.device.name).value_or(kHighestLimit);
}

/// The most that a source shows above the lowest without showing it long: of a mean over a second a
/// burst of a tenth is a tenth as high, and rises ten times as fast.
double highest_behind(const ObservedSource& source) {
  const double memory = source.window + source.time_constant;
  if (source.look == Look::counter || memory < 2 * source.period) return 0.0;
  const std::vector<ObservedReading>& readings = source.readings;
  // Of shorter bursts noise tells as much.
  const double shortest = std::max(1.5 * source.period, memory / 10);
  double steepest = 0.0;  // W/s
  std::size_t from = 0;
  for (const ObservedReading& reading : readings) {
    while (from + 1 < readings.size() && reading.time - readings[from + 1].time >= shortest) ++from;
    const double length = reading.time - readings[from].time;
    if (length < shortest) continue;
    steepest = std::max(steepest, (reading.value - readings[from].value) / length);
  }
  return steepest * memory;
}

/// The highest power that a power source showed, or may have behind its averaging, W.
double highest_shown(const ObservedBoard& board) {
  double highest = 0.0;
  for (const ObservedSource& source : board.sources) {
    if (source.look == Look::counter || source.readings.empty()) continue;
    const auto [least, most] = std::minmax_element(
        source.readings.begin(), source.readings.end(),
        [](const ObservedReading& a, const ObservedReading& b) { return a.value < b.value; });
    highest = std::max({highest, most->value, least->value + highest_behind(source)});
  }
  return highest;
}

void note_bounds(ObservedBoard& board, double most_w) {
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
  board.highest_w = highest;
  for (const ObservedSource& source : board.sources) {
    highest = std::max(highest, std::min(most_w, board.lowest_w + highest_behind(source)));
  }
  board.limit_w = std::min(kLimitOverHighest * highest, std::max(most_w, highest));
}

/// What is left of a source's rise without its own averaging window and filter, as a time constant:
/// of independent spreads the squares add up. 0 where it may be its own and is known.
double constant_of_rise(const SourceProfile& source) {
  const double of_constant = std::log(9.0);  // 10 to 90 %
  const double own =
      rise_of_look(source.fitted->averaging_window_s.value, source.fitted->time_constant_s.value);
  constexpr double kUnknown = 2.0;
  const Interval& rise = *source.rise_time_s;
  const bool is_its_own = rise.lower <= own && rise.upper < kUnknown * own;
  if (is_its_own || rise.value <= own) return 0.0;
  return std::sqrt(rise.value * rise.value - own * own) / of_constant;
}

/// By the power source whose rise is shortest; a counter alone tells it where it adds up readings.
std::vector<BoardDecay> rise_of_board(const Profile& profile, Scope scope) {
  constexpr double kShortest = 2e-3;  // s; a board that rises faster rises at once
  constexpr double kLongest = 10.0;
  constexpr double kMostOfStep = 1.5;  // what a file says beyond these is no board
  constexpr double kLeastSd = 0.03;    // of the step; kinds of work differ
  // A board of which no more is known than that it rises slowly.
  constexpr double kShare = 0.6;
  constexpr double kShareSd = 0.3;
  const SourceProfile* fastest = nullptr;
  for (const SourceProfile& source : profile.sources) {
    if (source.source.scope != scope || !source.rise_time_s || !source.fitted) continue;
    if (counts_energy(source.source)) continue;
    if (!fastest || source.rise_time_s->upper < fastest->rise_time_s->upper) fastest = &source;
  }
  for (const SourceProfile& source : profile.sources) {
    const bool adds_up = source.counter && source.counter->counting == Counting::sampled;
    const bool tells = source.fitted && source.fitted->board;
    if (!fastest && source.source.scope == scope && adds_up && tells) fastest = &source;
  }
  if (!fastest) return {};
  std::vector<BoardDecay> decays;
  if (!fastest->fitted->board) {
    decays.push_back({kShare, kShareSd, constant_of_rise(*fastest)});
  } else {
    for (const BoardTransient& one : *fastest->fitted->board) {
      decays.push_back({one.share.value,
                        std::clamp(standard_uncertainty_of(one.share), kLeastSd, kShareSd),
                        one.time_constant_s.value});
    }
  }
  std::erase_if(decays, [](const BoardDecay& one) {
    return one.time_constant < kShortest || one.time_constant > kLongest ||
           std::abs(one.share) > kMostOfStep;
  });
  return decays;
}

/// What stamps leave open that are cut off, as to whole seconds, s; rows in a row are cut alike.
/// All pairs of a log are as wide as its stamps; a wide one among others was read by a late host.
double stamps_sd(const Recording& recording) {
  constexpr double kFine = 0.01;  // s
  const auto least = std::min_element(
      recording.clock_pairs.begin(), recording.clock_pairs.end(),
      [](const ClockPair& one, const ClockPair& other) { return one.width < other.width; });
  if (least == recording.clock_pairs.end()) return 0.0;
  const double width = Seconds(least->width).count();
  return width > kFine ? width / std::sqrt(12.0) : 0.0;
}

/// What it shows in these stretches is not read.
Trace without(Trace trace, const std::vector<Gap>& stretches) {
  trace.gaps.insert(trace.gaps.end(), stretches.begin(), stretches.end());
  std::sort(trace.gaps.begin(), trace.gaps.end(),
            [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
  return trace;
}

/// Drivers that answer for an instant power show that, or the mean of the last second, as the
/// board's power (`nvidia-smi --help-query-gpu`: Ampere and later but GA100 are averaged).
bool is_one_of_two(const Trace& trace, const Trace& fast, const Knowledge& knowledge) {
  const bool is_known = profile_of(knowledge.profile, trace.source) != nullptr ||
                        profile_of(knowledge.published, trace.source) != nullptr;
  return !is_known && trace.source.kind == SourceKind::power_usage &&
         fast.source.kind == SourceKind::power_instant;
}

/// Whether another power source says that this one shows the last second's mean.
bool is_last_second_of_another(const Trace& trace, const Recording& recording,
                               const Knowledge& knowledge) {
  if (counts_energy(trace.source)) return false;
  return std::any_of(recording.traces.begin(), recording.traces.end(), [&](const Trace& fast) {
    if (fast.source.scope != trace.source.scope || fast.source.kind == trace.source.kind ||
        counts_energy(fast.source)) {
      return false;
    }
    return shows_last_second_of(trace, fast) ||
           (is_one_of_two(trace, fast, knowledge) && is_nearer_to_last_second_of(trace, fast));
  });
}

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
    const bool is_trailing = is_last_second_of_another(trace, recording, knowledge);
    const std::vector<Gap> frozen = frozen_stretches(recording, trace);
    Observed found = observed(frozen.empty() ? trace : without(trace, frozen), knowledge,
                              board.origin, highest_limit(recording, scope), is_trailing);
    if (!found.source && !found.refusal && !frozen.empty()) found.refusal = Reason::frozen_readings;
    if (found.refusal) board.dropped.push_back({trace.source, *found.refusal});
    if (!found.source) continue;
    if (const double sd = stamps_sd(recording); sd > 0) {
      found.source->age_sd = numerics::quadrature({found.source->age_sd, sd});
      double& drift = found.source->drift_sd;
      if (found.source->look == Look::counter) drift = numerics::quadrature({drift, sd});
    }
    const bool again =
        std::any_of(board.sources.begin(), board.sources.end(),
                    [&found](const auto& other) { return shows_the_same(*found.source, other); });
    if (!again) board.sources.push_back(*std::move(found.source));
  }
}

}  // namespace

ImpossibleReadings impossible_readings(const Recording& recording, const Trace& trace) {
  ImpossibleReadings found{.most_w = most_shown(highest_limit(recording, trace.source.scope))};
  if (counts_energy(trace.source)) return found;
  for (const Sample& sample : trace.samples) {
    if (sample.value > found.most_w) {
      ++found.above;
      found.highest_w = std::max(found.highest_w, sample.value);
    } else if (sample.value <= kDrawsNothing) {
      ++found.nothing;
    }
  }
  return found;
}

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
  leave_out_leaping(board);
  leave_out_leaps(board, highest_shown(board));
  note_perhaps(board);
  leave_to_ring(board);
  share_filter(board);
  note_samples(board, knowledge);
  std::stable_sort(board.sources.begin(), board.sources.end(), [](const auto& a, const auto& b) {
    return row_of(a.source.kind).believed < row_of(b.source.kind).believed;
  });
  put_on_one_scale(board, knowledge);
  note_bounds(board, most_shown(highest_limit(recording, board.scope)));
  const auto& limit = recording.device.power_limit;
  if (limit && board.scope == Scope::gpu) board.power_limit_w = limit->value();
  if (knowledge.profile) board.rise = rise_of_board(*knowledge.profile, board.scope);
  note_read_time(board);
  return board;
}

}  // namespace truewatt::energy
