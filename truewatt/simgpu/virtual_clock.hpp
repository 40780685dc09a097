#pragma once

#include "truewatt/base/clock.hpp"

namespace truewatt::simgpu {

/// The clock of a simulated machine: time passes when somebody sleeps, and not otherwise. Starts
/// 1000 s after boot, at 2000-01-01T00:00:00Z of REALTIME, so that a seed gives the same bytes on
/// any day. One thread.
class VirtualClock : public Clock {
 public:
  static constexpr HostTime kStart{std::chrono::seconds(1000)};
  static constexpr DriverTime kRealtimeStart{std::chrono::seconds(946'684'800)};

  HostTime now() const override { return now_; }
  DriverTime realtime_now() const override { return kRealtimeStart + (now_ - kStart); }
  void sleep_until(HostTime until) override {
    if (until > now_) now_ = until;
  }
  bool is_virtual() const override { return true; }

 private:
  HostTime now_ = kStart;
};

}  // namespace truewatt::simgpu
