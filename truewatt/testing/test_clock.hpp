#pragma once

#include <algorithm>

#include "truewatt/base/clock.hpp"

namespace truewatt::sensor {

/// For tests: a clock that moves when somebody sleeps.
class TestClock : public Clock {
 public:
  HostTime now() const override { return now_; }
  DriverTime realtime_now() const override { return DriverTime(now_.time_since_epoch()); }
  void sleep_until(HostTime until) override { now_ = std::max(now_, until); }
  bool is_virtual() const override { return true; }

 private:
  HostTime now_{std::chrono::seconds(100)};
};

}  // namespace truewatt::sensor
