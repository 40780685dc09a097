#include "truewatt/capture/timed_sensor.hpp"

#include <sys/resource.h>

#include <ctime>

namespace truewatt::capture {
namespace {

/// CPU time of the calling thread.
Seconds thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

Seconds seconds_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

Seconds process_cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

template <class Call>
auto TimedSensor::timed(const Call& call) {
  const Seconds before = thread_cpu_time();
  auto answer = call();
  cpu_ += thread_cpu_time() - before;
  ++calls_;
  return answer;
}

Result<sensor::Reading> TimedSensor::read(SourceId source) {
  return timed([&] { return inner_.read(source); });
}

Result<std::vector<sensor::Reading>> TimedSensor::drain(std::optional<DriverTime> since) {
  return timed([&] { return inner_.drain(since); });
}

Result<HealthSample> TimedSensor::health() {
  return timed([&] { return inner_.health(); });
}

}  // namespace truewatt::capture
