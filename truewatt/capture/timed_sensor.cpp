#include "truewatt/capture/timed_sensor.hpp"

#include <ctime>

namespace truewatt::capture {

Seconds thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
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
