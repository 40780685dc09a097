#include "truewatt/model/tick_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt {
namespace {

/// A step that is further than this share of the period from a whole number of periods does not
/// belong to the grid.
constexpr double kOffGrid = 0.3;
/// The guard covers this many standard deviations of the ticks around their grid ...
constexpr double kGuardSigmas = 3.0;
/// ... and the wake-up latency of an ordinary kernel.
constexpr Seconds kLatency{0.0003};

}  // namespace

void TickTracker::add(HostTime before, HostTime seen) {
  ticks_.push_back({before + (seen - before) / 2, Seconds(seen - before) / 2});
  if (ticks_.size() > kMemory) ticks_.pop_front();
  refit();
}

void TickTracker::refit() {
  period_.reset();
  if (ticks_.size() < kLearn) return;
  std::vector<double> intervals;
  for (std::size_t i = 1; i < ticks_.size(); ++i) {
    intervals.push_back(Seconds(ticks_[i].middle - ticks_[i - 1].middle).count());
  }
  // Equal values only ever lengthen an interval: the lower quartile is one period as soon as a
  // quarter of the publications changes the value.
  std::vector<double> sorted = intervals;
  std::sort(sorted.begin(), sorted.end());
  double period = sorted[sorted.size() / 4];
  if (!(period > 0)) return;
  std::vector<double> numbers = {0.0};
  std::vector<double> times = {0.0};
  for (int round = 0; round < 3; ++round) {
    numbers.assign(1, 0.0);
    times.assign(1, 0.0);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const double steps = std::max(1.0, std::round(intervals[i] / period));
      if (std::abs(intervals[i] / period - steps) > kOffGrid) {
        // What came before this step says nothing about the grid of now.
        numbers.clear();
        times.clear();
        numbers.push_back(0.0);
      } else {
        numbers.push_back(numbers.back() + steps);
      }
      times.push_back(Seconds(ticks_[i + 1].middle - ticks_.front().middle).count());
    }
    if (numbers.size() < kLearn) return;
    const auto line = numerics::fit_line(numbers, times);
    if (!line || !(line->slope > 0)) return;
    period = line->slope;
    reference_ = ticks_.front().middle + to_nanoseconds(Seconds(line->at(numbers.back()).value));
    scatter_ = Seconds(line->residual_sd);
  }
  period_ = Seconds(period);
}

std::optional<TickPrediction> TickTracker::next_after(HostTime now) const {
  if (!period_) return std::nullopt;
  const double passed = Seconds(now - reference_) / *period_;
  const double steps = std::max(1.0, std::floor(passed) + 1.0);
  const Seconds guard = kGuardSigmas * scatter_ + ticks_.back().half_width + kLatency;
  return TickPrediction{reference_ + to_nanoseconds(steps * *period_),
                        to_nanoseconds(std::min(guard, 0.4 * *period_))};
}

}  // namespace truewatt
