#include "truewatt/energy/estimate/lock_doubt.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/estimate/phase_lock.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// What an uncharacterized sensor makes of work that repeats within so many of its periods depends
/// on how long it averages.
constexpr double kFewPeriods = 2.0;
/// How many of its periods a ring's reading averages where it is not characterized: an H200's.
constexpr double kRingLooks = 1.3;

/// A period, but for how well it is known.
Interval about(double period, double share) {
  return {period, (1 - share) * period, (1 + share) * period, 0.95};
}

}  // namespace

double alias_gain(const ObservedSource& source) {
  constexpr int kHarmonics = 5;
  if (source.look == Look::counter) return 0.0;
  double most = 0.0;
  if (source.made_of) {
    const double lag = 2 * M_PI * source.made_of->time_constant / source.made_of->period;
    most = 1 / std::sqrt(1 + lag * lag);
  }
  for (int m = 1; m <= kHarmonics; ++m) {
    const double x = M_PI * m * source.window / source.period;
    const double boxcar = x < 1e-9 ? 1.0 : std::abs(std::sin(x) / x);
    const double lag = 2 * M_PI * m * source.time_constant / source.period;
    most = std::max(most, boxcar / std::sqrt(1 + lag * lag));
  }
  return most;
}

double hidden_share(const ObservedBoard& board, double seen) {
  double least = 1.0;
  for (const ObservedSource& source : board.sources) {
    const bool counts = source.look == Look::counter;
    if (counts || source.is_characterized) least = std::min(least, alias_gain(source));
  }
  return least < 0.5 ? std::min(1.0, least * seen / (1 - 2 * least)) : 1.0;
}

CourseEnergy with_hidden(CourseEnergy of, double hidden_j) {
  if (!(hidden_j > 0)) return of;
  of.budget.push_back({uncertainty::Cause::phase_lock, hidden_j});
  of.standard_uncertainty = numerics::quadrature({of.standard_uncertainty, hidden_j});
  return of;
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
    return source.look == Look::counter && !source.integrates;
  });
}

double LockDoubt::hidden_in_ring(const ObservedBoard& board, const CourseWindow& asked,
                                 const Window& window) const {
  if (!ring_ || is_informed(board, window)) return 0.0;
  for (const ObservedSource& source : board.sources) {
    if (source.integrates || (source.look == Look::average && source.is_characterized)) return 0.0;
  }
  const double looks = ring_->is_characterized ? ring_->window + 2 * ring_->time_constant
                                               : kRingLooks * ring_->period;
  const Trace* trace = find_trace(recording_, ring_->source);
  return hidden_in_repeats(ring_ticks_, ring_->period, looks, asked.begin, asked.end,
                           condensed_within(*trace, window.begin, window.end));
}

bool LockDoubt::is_in_step_with_counter(const ObservedBoard& board, const Window& window) const {
  constexpr double kFewReadings = 0.01;  // s
  const ObservedSource& source = board.sources.front();
  return source.look == Look::counter && !source.is_characterized &&
         has_fast_rhythm(recording_, window, kFewReadings);
}

/// Samples that an average is made of look at every phase of the known work, or it is no average
/// of samples.
bool LockDoubt::sees_all_phases(const ObservedSource& source, const Window& window) const {
  return !source.made_of ||
         activity_excludes_lock(recording_, window, about(source.made_of->period, 1e-3));
}

bool LockDoubt::is_informed(const ObservedBoard& board, const Window& window) const {
  if (hints_.work.empty()) return false;
  for (const ObservedSource& source : board.sources) {
    if (source.is_characterized && sees_all_phases(source, window)) return true;
    // A counter may add up what the ring samples.
    const bool by_ring = ring_ && source.look == Look::counter;
    const double every = by_ring ? ring_->period : source.period;
    if (activity_excludes_lock(recording_, window, about(every, 1e-3)) &&
        !has_fast_rhythm(recording_, window, kFewPeriods * every)) {
      return true;
    }
  }
  return false;
}

}  // namespace truewatt::energy
