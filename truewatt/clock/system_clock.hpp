#pragma once

#include "truewatt/base/clock.hpp"

namespace truewatt {

/// The machine's own clocks: CLOCK_MONOTONIC and CLOCK_REALTIME. Any thread.
class SystemClock final : public Clock {
 public:
  HostTime now() const override;
  DriverTime realtime_now() const override;
  void sleep_until(HostTime until) override;
  bool is_virtual() const override { return false; }
};

}  // namespace truewatt
