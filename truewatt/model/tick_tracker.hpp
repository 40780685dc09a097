#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "truewatt/base/time.hpp"

namespace truewatt {

/// When the next publication is expected, and how far off that may be.
struct TickPrediction {
  HostTime time;
  Nanoseconds guard{0};  ///< the publication is expected within time +- guard
};

/// A bracket that a tick lies in, seconds.
struct PhaseBounds {
  double lower = 0.0;
  double upper = 0.0;
  /// How far `time` lies below (negative) or above the bracket; 0 inside.
  double violation(double time) const {
    return std::min(time - lower, 0.0) + std::max(time - upper, 0.0);
  }
};

/// Learns a source's update period and phase from the brackets of its publications while they come
/// in, and predicts the next one. Equal consecutive values (no publication seen) and missed polls
/// are whole periods; recent ticks only, so that drift and random-walk jitter are followed. Wide
/// brackets, moved by whole periods, narrow the phase by what they have in common
/// (docs/method.md, section 3). One thread.
class TickTracker {
 public:
  /// Ticks kept; 32 of a 100 ms source are three seconds.
  static constexpr std::size_t kMemory = 32;
  /// Ticks needed before anything is predicted.
  static constexpr std::size_t kLearn = 5;

  /// A publication happened in (before, seen].
  void add(HostTime before, HostTime seen);
  /// Starts learning again.
  void forget() {
    ticks_.clear();
    period_.reset();
  }

  /// Period, once known.
  std::optional<Seconds> period() const { return period_; }
  /// First expected publication later than `now`; nothing while learning.
  std::optional<TickPrediction> next_after(HostTime now) const;

 private:
  struct Tick {
    HostTime middle;
    Seconds half_width{0};
  };
  /// The ticks of one unbroken grid: their numbers and brackets, seconds since the oldest tick.
  struct Grid {
    std::vector<double> numbers;
    std::vector<PhaseBounds> brackets;
  };
  void refit();
  std::optional<double> first_guess() const;
  double typical_half_width() const;
  Grid number(double period) const;
  void place_phase(const Grid& grid);

  std::deque<Tick> ticks_;
  std::optional<Seconds> period_;
  Grid grid_;
  Seconds period_sd_{0};
  // Where no line passes through all brackets:
  HostTime reference_;     // a point of the grid, near the newest tick
  Seconds half_width_{0};  // of what the brackets leave open of the phase
  Seconds scatter_{0};     // of the brackets around the grid
};

}  // namespace truewatt
