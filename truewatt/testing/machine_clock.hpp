#pragma once

#include <ctime>

#include "truewatt/base/clock.hpp"

namespace truewatt::load {

/// The machine's clocks, for tests that live in real time.
class MachineClock final : public Clock {
 public:
  HostTime now() const override { return HostTime(read(CLOCK_MONOTONIC)); }
  DriverTime realtime_now() const override { return DriverTime(read(CLOCK_REALTIME)); }
  void sleep_until(HostTime until) override {
    const auto ns = count_ns(until);
    const timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
    }
  }
  bool is_virtual() const override { return false; }

  static Nanoseconds read(clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return Nanoseconds(time.tv_sec * 1'000'000'000LL + time.tv_nsec);
  }
};

}  // namespace truewatt::load
