#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "truewatt/base/time.hpp"

namespace truewatt {

/// When the next publication is expected, and how far off that may be.
struct TickPrediction {
  HostTime time;
  Nanoseconds guard{0};  ///< the publication is expected within time +- guard
};

/// Learns a source's update period and phase from the brackets of its publications while they come
/// in, and predicts the next one. Equal consecutive values (no publication seen) and missed polls
/// are whole periods; recent ticks only, so that drift and random-walk jitter are followed. One
/// thread.
class TickTracker {
 public:
  /// Ticks kept; 32 of a 100 ms source are three seconds.
  static constexpr std::size_t kMemory = 32;
  /// Ticks needed before anything is predicted.
  static constexpr std::size_t kLearn = 5;

  /// A publication happened in (before, seen].
  void add(HostTime before, HostTime seen);
  /// Starts learning again.
  void forget() { ticks_.clear(); }

  /// Period, once known.
  std::optional<Seconds> period() const { return period_; }
  /// First expected publication later than `now`; nothing while learning.
  std::optional<TickPrediction> next_after(HostTime now) const;

 private:
  struct Tick {
    HostTime middle;
    Seconds half_width{0};
  };
  void refit();

  std::deque<Tick> ticks_;
  std::optional<Seconds> period_;
  HostTime reference_;  // a point of the fitted grid
  Seconds scatter_{0};  // of the ticks around the grid
};

}  // namespace truewatt
