#include "truewatt/load/wait.hpp"

#include <algorithm>

namespace truewatt::load {
namespace {

/// Sleeping wakes late by up to about this much; the rest of the way is spun.
constexpr Nanoseconds kSpin = std::chrono::microseconds(100);
/// A sleeper looks this often whether it should stop.
constexpr Nanoseconds kStopPoll = std::chrono::milliseconds(50);

}  // namespace

void wait_until(Clock& clock, HostTime until, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Nanoseconds left = until - clock.now();
    if (left <= kSpin) break;
    clock.sleep_until(clock.now() + std::min(left - kSpin, kStopPoll));
  }
  while (!stop.stop_requested() && clock.now() < until) {
  }
}

}  // namespace truewatt::load
