#pragma once

#include <ctime>

#include "truewatt/clock/system_clock.hpp"

namespace truewatt {

/// What the thread or the process has taken of a processor: CLOCK_THREAD_CPUTIME_ID,
/// CLOCK_PROCESS_CPUTIME_ID.
inline Nanoseconds processor_time(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return Nanoseconds(time.tv_sec * 1'000'000'000LL + time.tv_nsec);
}

}  // namespace truewatt
