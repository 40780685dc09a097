#include "truewatt/clock/system_clock.hpp"

#include <cerrno>
#include <ctime>

namespace truewatt {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

Nanoseconds read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return Nanoseconds(time.tv_sec * kNanosecondsPerSecond + time.tv_nsec);
}

}  // namespace

HostTime SystemClock::now() const { return HostTime(read_clock(CLOCK_MONOTONIC)); }

DriverTime SystemClock::realtime_now() const { return DriverTime(read_clock(CLOCK_REALTIME)); }

void SystemClock::sleep_until(HostTime until) {
  if (until <= now()) return;
  const std::int64_t ns = count_ns(until);
  const timespec time{.tv_sec = ns / kNanosecondsPerSecond, .tv_nsec = ns % kNanosecondsPerSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

}  // namespace truewatt
