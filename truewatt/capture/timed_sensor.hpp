#pragma once

#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::capture {

/// A sensor that keeps the books on the CPU time spent inside another one: the driver's share of
/// what sampling costs.
class TimedSensor : public sensor::PowerSensor {
 public:
  explicit TimedSensor(sensor::PowerSensor& inner) : inner_(inner) {}

  const DeviceIdentity& device() const override { return inner_.device(); }
  const std::vector<sensor::SourceStatus>& sources() const override { return inner_.sources(); }
  std::vector<std::string> notes() const override { return inner_.notes(); }
  std::vector<std::string> not_read() const override { return inner_.not_read(); }
  Result<sensor::Reading> read(SourceId source) override;
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime> since) override;
  Result<HealthSample> health() override;

  /// CPU time of the calls so far, and their number. Read after sampling has ended.
  Seconds cpu() const { return cpu_; }
  std::uint64_t calls() const { return calls_; }

 private:
  template <class Call>
  auto timed(const Call& call);

  sensor::PowerSensor& inner_;
  Seconds cpu_{0};
  std::uint64_t calls_ = 0;
};

/// CPU time of this process so far, user and system, all threads (getrusage).
Seconds process_cpu_time();

}  // namespace truewatt::capture
