#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/time.hpp"

namespace truewatt {

/// One simultaneous reading of CLOCK_MONOTONIC and CLOCK_REALTIME; `width` bounds how far apart
/// the two reads may have been.
struct ClockPair {
  HostTime host;
  DriverTime driver;
  Nanoseconds width{0};
};

/// The only bridge from the driver's REALTIME stamps to host time. Built from pairs in order of
/// host time; between pairs the offset is interpolated, outside it is held. A step of REALTIME
/// (somebody set the clock) is reported, not smoothed. Immutable, so safe to share.
class ClockAlignment {
 public:
  /// Offsets that move by more than this between neighbouring pairs are a step, not slewing
  /// (NTP slews at most 500 ppm: 0.5 ms in the second between two pairs).
  static constexpr Nanoseconds kStep = std::chrono::milliseconds(5);

  explicit ClockAlignment(std::vector<ClockPair> pairs);

  bool empty() const { return pairs_.empty(); }
  /// Nothing when no pair was taken. Of stretches between steps it is the first that shows the
  /// stamp, else the nearest one.
  std::optional<HostTime> to_host(DriverTime stamp) const;
  std::optional<DriverTime> to_driver(HostTime time) const;
  /// Half the widest pair: the standard uncertainty's bound of a converted stamp.
  Nanoseconds uncertainty() const { return uncertainty_; }
  /// Host times of the pairs after which REALTIME had jumped.
  const std::vector<HostTime>& steps() const { return steps_; }

 private:
  /// Pairs between two steps.
  struct Stretch {
    ClockPair first;
    ClockPair last;
  };

  Nanoseconds offset_at(HostTime time) const;
  const Stretch& stretch_near(DriverTime stamp) const;

  std::vector<ClockPair> pairs_;
  std::vector<Stretch> stretches_;
  std::vector<HostTime> steps_;
  Nanoseconds uncertainty_{0};
};

}  // namespace truewatt
