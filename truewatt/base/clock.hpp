#pragma once

#include "truewatt/base/time.hpp"

namespace truewatt {

/// The time that capture lives in, passed in as a parameter: the machine's clocks, or the virtual
/// clock of a simulated GPU. Implementations are safe to call from several threads.
class Clock {
 public:
  virtual ~Clock() = default;
  /// CLOCK_MONOTONIC, or its virtual stand-in.
  virtual HostTime now() const = 0;
  /// CLOCK_REALTIME at the same instant, as the driver stamps its samples.
  virtual DriverTime realtime_now() const = 0;
  /// Returns at `until` or later; at once when `until` has passed.
  virtual void sleep_until(HostTime until) = 0;
  /// True when time passes only inside sleep_until and simulated calls.
  virtual bool is_virtual() const = 0;
};

}  // namespace truewatt
