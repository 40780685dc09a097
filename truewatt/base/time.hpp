#pragma once

#include <chrono>
#include <cstdint>

#include "truewatt/base/units.hpp"

namespace truewatt {

using Nanoseconds = std::chrono::duration<std::int64_t, std::nano>;

/// A tag per clock: time points of different clocks do not compare, subtract or convert.
/// `ClockAlignment` is the only bridge between them.
template <class Tag>
struct ClockTag {
  using duration = Nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Tag, duration>;
  static constexpr bool is_steady = false;
};

/// CLOCK_MONOTONIC of the host, or the virtual clock that stands for it. All traces use it.
struct HostClock : ClockTag<HostClock> {};
/// CLOCK_REALTIME: the driver's own stamps (NVML sample buffer, nvidia-smi logs).
struct DriverClock : ClockTag<DriverClock> {};
/// The GPU's global timer (kernel stamps).
struct DeviceClock : ClockTag<DeviceClock> {};
/// Seconds since a simulated GPU was started.
struct SimClock : ClockTag<SimClock> {};

using HostTime = HostClock::time_point;
using DriverTime = DriverClock::time_point;
using DeviceTime = DeviceClock::time_point;
using SimTime = SimClock::time_point;

/// Rounds a real number of seconds to the integer nanoseconds that time points are made of.
constexpr Nanoseconds to_nanoseconds(Seconds seconds) {
  const double ns = seconds.count() * 1e9;
  return Nanoseconds(static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5));
}

template <class Clock>
constexpr std::int64_t count_ns(std::chrono::time_point<Clock, Nanoseconds> time) {
  return time.time_since_epoch().count();
}

/// Seconds from `origin` to `time`, both of one clock.
template <class Clock>
constexpr double seconds_between(std::chrono::time_point<Clock, Nanoseconds> origin,
                                 std::chrono::time_point<Clock, Nanoseconds> time) {
  return Seconds(time - origin).count();
}

}  // namespace truewatt
