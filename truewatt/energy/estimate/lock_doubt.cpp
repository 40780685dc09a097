#include "truewatt/energy/estimate/lock_doubt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "truewatt/energy/estimate/phase_lock.hpp"
#include "truewatt/energy/observe/counter_looks.hpp"
#include "truewatt/energy/observe/look.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// What a source's age is taken to differ by at most, in standard uncertainties.
constexpr double kAges = 2.0;

/// What an uncharacterized sensor makes of work that repeats within so many of its periods depends
/// on how long it averages.
constexpr double kFewPeriods = 2.0;
/// How many of its periods a ring's reading averages where it is not characterized: an H200's.
constexpr double kRingLooks = 1.3;

/// A period, but for how well it is known.
Interval about(double period, double share) {
  return {period, (1 - share) * period, (1 + share) * period, 0.95};
}

/// How often a source looks, s; 0 where it sees everything. How often a counter takes the samples
/// that it adds up is known of those that leave nothing out.
double looks_every(const ObservedSource& source) {
  switch (summed_by(source)) {
    case Summed::nothing:
    case Summed::looks:
      return look_period(source);
    case Summed::all:
    case Summed::samples:
      return source.sampled_every;
    case Summed::unknown:
      break;
  }
  return 0.0;
}

/// Whether no look of its own tells what a source's readings show of the work.
bool sums_all_phases(const ObservedSource& source) {
  const Summed summed = summed_by(source);
  return summed != Summed::nothing && summed != Summed::looks;
}

/// What a reading weighs each phase of the source's period by, evenly many phases; their sum is 1.
/// Empty where nobody knows. Whole periods of a window weigh all phases alike; behind the rest of
/// it each further period of the filter weighs as the one before, less by one factor.
std::vector<double> weights_by_phase(const ObservedSource& source) {
  constexpr std::size_t kPhases = 400;
  constexpr double kAlike = 1.0 / kPhases;
  if (!source.is_characterized) return {};
  const double every = looks_every(source);
  if (!(every > 0)) return std::vector<double>(kPhases, kAlike);
  const double period = source.made_of ? source.made_of->period : every;
  const double lag = source.made_of ? source.made_of->time_constant : source.time_constant;
  const double window = source.made_of ? 0.0 : look_length(source);
  if (!(window > 0) && !(lag > 0)) return {};
  const double rest = std::fmod(window, period);
  const double share = window > 0 ? rest / window : 1.0;
  std::vector<double> weights(kPhases, (1 - share) * kAlike);
  if (!(share > 0)) return weights;
  const double step = period / kPhases;
  const double tail = lag > 0 ? -1 / std::expm1(-period / lag) : 1.0;
  const auto seen = [&](double age) {
    return shown_of_step(rest, lag, age + step) - shown_of_step(rest, lag, age);
  };
  for (std::size_t i = 0; i < kPhases; ++i) {
    const double age = step * static_cast<double>(i);
    weights[i] += share * (seen(age) + tail * seen(period + age));
  }
  return weights;
}

/// The share of all phases that shows so much of what all of them would, the first ones first.
double phases_that_show(double shown, const std::vector<double>& weights) {
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (sum + weights[i] > shown) {
      return (static_cast<double>(i) + (shown - sum) / weights[i]) /
             static_cast<double>(weights.size());
    }
    sum += weights[i];
  }
  return 1.0;
}

/// What a mean over so many periods, behind a filter of so many, shows of what repeats with one.
double shown_of_repeat(double window, double lag) {
  const double x = M_PI * window;
  const double boxcar = x < 1e-9 ? 1.0 : std::abs(std::sin(x) / x);
  return boxcar / std::sqrt(1 + 4 * M_PI * M_PI * lag * lag);
}

/// When a reading's looks end, s.
std::vector<double> look_ends(const ObservedSource& source, std::size_t reading) {
  if (!source.looks) return {source.readings[reading].time};
  std::vector<double> ends;
  for (const TimeSpan& look : looks_of(source, reading)) ends.push_back(look.end);
  return ends;
}

/// A counter's counts within a window as powers, W; of a short one those around it, too.
std::vector<double> powers_about(const ObservedSource& counter, const CourseWindow& window) {
  constexpr double kFewest = 32.0;
  const double lacking = kFewest * counter.period - (window.end - window.begin);
  const double around = std::max(0.0, lacking / 2);
  const auto& readings = counter.readings;
  auto reading =
      std::lower_bound(readings.begin(), readings.end(), window.begin - around,
                       [](const ObservedReading& one, double time) { return one.time < time; });
  std::vector<double> powers;
  for (; reading != readings.end() && reading->time <= window.end + around; ++reading) {
    if (reading == readings.begin() || reading->is_first) continue;
    const double length = reading->time - std::prev(reading)->time;
    if (length > 0) powers.push_back(reading->value / length);
  }
  return powers;
}

}  // namespace

double may_sample_every(const ObservedSource& source) {
  constexpr double kCoarsest = 0.02;  // s, of GPUs' counters: a V100's
  const Summed summed = summed_by(source);
  if (summed == Summed::samples) return source.sampled_every;
  const bool is_known = summed == Summed::nothing || source.is_characterized;
  return is_known ? 0.0 : std::min(source.period, kCoarsest);
}

double alias_gain(const ObservedSource& source) {
  constexpr int kHarmonics = 5;
  double most = 0.0;
  if (source.made_of) {
    most = shown_of_repeat(0.0, source.made_of->time_constant / source.made_of->period);
  }
  const double every = looks_every(source);
  if (!(every > 0)) return 0.0;
  for (int m = 1; m <= kHarmonics; ++m) {
    most = std::max(
        most, shown_of_repeat(m * look_length(source) / every, m * source.time_constant / every));
  }
  return most;
}

double hidden_share(const ObservedBoard& board, const CourseWindow& window, double mean_w) {
  const double above_w = std::abs(mean_w - board.lowest_w);
  const double seen = above_w / std::abs(mean_w);
  double least = 1.0;
  for (const ObservedSource& source : board.sources) {
    const Summed summed = summed_by(source);
    if (summed == Summed::nothing && !source.is_characterized) continue;
    double hidden = alias_gain(source);
    const bool sums_many = summed == Summed::all || summed == Summed::unknown;
    if (sums_many && hidden > 0 && !shows_rhythm(powers_about(source, window), above_w)) {
      hidden = 0.0;
    }
    least = std::min(least, hidden);
  }
  return least < 0.5 ? std::min(1.0, least * seen / (1 - 2 * least)) : 1.0;
}

double explained_by_gains(const EnergyCourse& course, const CourseWindow& window, double joules) {
  const std::vector<ObservedSource>& sources = course.board().sources;
  if (!(alias_gain(sources.front()) > kComplete)) return 0.0;
  double most = 0.0;
  for (std::size_t i = 1; i < sources.size(); ++i) {
    if (!sources[i].is_characterized || alias_gain(sources[i]) > kComplete) continue;
    const SourceFit& fit = course.fits()[i];
    const double differs = (fit.gain - 1) * joules + fit.offset_w * (window.end - window.begin);
    most = std::max(most, std::abs(differs));
  }
  return most;
}

EnergyBounds power_in_step(const ObservedBoard& board, const Uncertain& shown_w,
                           bool is_counter_in_doubt) {
  constexpr double kNoBoardDraws = 3000.0;  // W
  constexpr double kPeaks = 2.0;            // over its limit, until the board is regulated
  // What stays high throughout may never have shown idle.
  constexpr double kSurelyIdle = 0.5;
  const double value = shown_w.value;
  const double floor = board.lowest_w < kSurelyIdle * value ? board.lowest_w : 0.0;
  const double limit = board.power_limit_w ? kPeaks * *board.power_limit_w : kNoBoardDraws;
  const double range = std::max({limit, board.highest_w, value}) - floor;
  const double shown = range > 0 ? std::clamp((value - floor) / range, 0.0, 1.0) : 1.0;
  double least = 0.0;
  double most = 1.0;
  for (const ObservedSource& source : board.sources) {
    if (is_counter_in_doubt && source.look == Look::counter) continue;
    std::vector<double> weights = weights_by_phase(source);
    if (weights.empty()) continue;
    std::sort(weights.begin(), weights.end());
    most = std::min(most, phases_that_show(shown, weights));
    std::reverse(weights.begin(), weights.end());
    least = std::max(least, phases_that_show(shown, weights));
  }
  const double half = kCoverageFactor95 * shown_w.standard_uncertainty;
  EnergyBounds watts{.lower = std::max(floor + range * least - half, floor)};
  if (board.power_limit_w) {
    watts.upper =
        std::min(floor + range * most + half, std::max(*board.power_limit_w, value + half));
  }
  return watts;
}

LockDoubt::LockDoubt(const Recording& recording, const CourseHints& hints,
                     std::optional<ObservedSource> ring)
    : recording_(recording), hints_(hints), ring_(std::move(ring)) {
  if (!ring_) return;
  for (const ObservedReading& reading : ring_->readings) {
    if (reading.span > 0) continue;
    ring_ticks_.push_back({reading.time + ring_->delay, reading.time_sd, reading.value});
  }
}

bool LockDoubt::may_be_in_step_with_ring() const {
  if (hints_.work.empty()) return false;
  const Window worked{recording_.activity.front().begin, recording_.activity.back().end, ""};
  return !activity_excludes_lock(recording_, worked, about(ring_->period, 1e-4));
}

void LockDoubt::leave_out_counter_in_step(ObservedBoard& board) const {
  if (!ring_ || !ring_->is_characterized || board.sources.size() < 2) return;
  if (!may_be_in_step_with_ring()) return;
  std::erase_if(board.sources, [](const ObservedSource& source) {
    const Summed summed = summed_by(source);
    return summed == Summed::unknown || summed == Summed::samples;
  });
}

double LockDoubt::hidden_in_ring(const ObservedBoard& board, const CourseWindow& asked,
                                 const Window& window) const {
  if (!ring_ || is_informed(board, window)) return 0.0;
  for (const ObservedSource& source : board.sources) {
    if (summed_by(source) == Summed::all ||
        (source.look == Look::average && source.is_characterized))
      return 0.0;
  }
  const double looks = ring_->is_characterized ? ring_->window + 2 * ring_->time_constant
                                               : kRingLooks * ring_->period;
  const Trace* trace = find_trace(recording_, ring_->source);
  return hidden_in_repeats(ring_ticks_, ring_->period, looks, asked.begin, asked.end,
                           condensed_within(*trace, window.begin, window.end));
}

bool LockDoubt::is_in_step_with_counter(const ObservedBoard& board, const Window& window) const {
  constexpr double kFewReadings = 0.01;  // s
  constexpr double kManySamples = 10.0;
  const double every = may_sample_every(board.sources.front());
  if (!(every > 0)) return false;
  if (has_fast_rhythm(recording_, window, kFewReadings)) return true;
  // Of such samples it is not known how often they come.
  constexpr double kFewSamples = 4.0;
  const bool is_coarse = summed_by(board.sources.front()) == Summed::samples;
  if (is_coarse && has_fast_rhythm(recording_, window, kFewSamples * every)) return true;
  return has_fast_rhythm(recording_, window, kManySamples * every) &&
         !activity_excludes_lock(recording_, window, about(every, 1e-3));
}

/// Samples that an average is made of look at every phase of the known work, or it is no average
/// of samples.
bool LockDoubt::sees_all_phases(const ObservedSource& source, const Window& window) const {
  return !source.made_of ||
         activity_excludes_lock(recording_, window, about(source.made_of->period, 1e-3));
}

/// Whether the course follows known work as finely as the source looks, and the source's age is
/// known as well; else its age, which the course does not resolve there, decides what it sees of
/// the work.
bool LockDoubt::follows_work(const ObservedSource& source) const {
  constexpr double kFinest = 5e-3;    // s, of pulses and rests; the course's steps are half of it
  constexpr double kSeamless = 2e-4;  // s; a shorter rest is the time that launching takes
  if (sums_all_phases(source)) return true;
  const double look = look_length(source) + source.time_constant;
  double end = -std::numeric_limits<double>::infinity();
  for (const CourseHints::Work& work : hints_.work) {
    const double rest = work.begin - end;
    const double on = work.end - work.begin;
    const double shortest = rest > kSeamless ? std::min(on, rest) : on;
    const bool is_in_it = look < shortest;  // and sees one state alone, or the other
    if (is_in_it && (shortest < kFinest || kAges * source.age_sd > shortest)) return false;
    end = work.end;
  }
  return true;
}

/// Whether of every kind of known work that lasts longer than the source looks some looks lay in
/// it, for half of their length or more: where all fell beside it, edges that a look hardly met
/// would tell its power.
bool LockDoubt::looks_into_work(const ObservedSource& source) const {
  constexpr double kShare = 0.5;
  if (sums_all_phases(source)) return true;
  const double look = look_length(source) + source.time_constant;
  std::map<std::size_t, std::size_t> looks;  // by kind
  for (const CourseHints::Work& work : hints_.work) {
    if (work.end - work.begin > look) looks.try_emplace(work.kind, 0);
  }
  for (std::size_t i = 0; i < source.readings.size(); ++i) {
    const double margin = kAges * numerics::quadrature({source.age_sd, source.readings[i].time_sd});
    for (const double time : look_ends(source, i)) {
      const auto after =
          std::upper_bound(hints_.work.begin(), hints_.work.end(), time - kShare * look,
                           [](double t, const CourseHints::Work& work) { return t < work.begin; });
      if (after == hints_.work.begin()) continue;
      const CourseHints::Work& work = *std::prev(after);
      const double begin = std::max(work.begin + margin, time - look);
      const double end = std::min(work.end - margin, time);
      const bool is_in_it = end >= begin && end - begin >= kShare * look;
      if (is_in_it && looks.count(work.kind) > 0) ++looks[work.kind];
    }
  }
  return std::all_of(looks.begin(), looks.end(),
                     [](const auto& of_kind) { return of_kind.second > 1; });
}

bool LockDoubt::is_informed(const ObservedBoard& board, const Window& window) const {
  if (hints_.work.empty()) return false;
  for (const ObservedSource& source : board.sources) {
    const bool is_modelled = source.is_characterized && summed_by(source) != Summed::samples &&
                             follows_work(source) && looks_into_work(source);
    if (is_modelled && sees_all_phases(source, window)) return true;
    // A counter may add up what the ring samples.
    const bool by_ring = ring_ && source.look == Look::counter;
    const double every = by_ring ? ring_->period : look_period(source);
    if (activity_excludes_lock(recording_, window, about(every, 1e-3)) &&
        !has_fast_rhythm(recording_, window, kFewPeriods * every)) {
      return true;
    }
  }
  return false;
}

bool LockDoubt::is_explained(const EnergyCourse& course, const CourseWindow& asked,
                             const Window& window) const {
  constexpr double kLeast = 0.2;
  if (course.share_of_work(asked) >= kLeast) return true;
  const std::vector<ObservedSource>& sources = course.board().sources;
  return std::any_of(sources.begin(), sources.end(), [&](const ObservedSource& source) {
    return activity_excludes_lock(recording_, window, about(look_period(source), 1e-3));
  });
}

}  // namespace truewatt::energy
