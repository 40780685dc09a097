#pragma once

#include <utility>
#include <vector>

#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::study {

/// A sensor that shows one source of another one, which must outlive it.
class OneSource : public sensor::PowerSensor {
 public:
  OneSource(sensor::PowerSensor& all, SourceId source) : all_(all) {
    for (const sensor::SourceStatus& status : all.sources()) {
      if (status.source == source) shown_.push_back(status);
    }
  }

  const DeviceIdentity& device() const override { return all_.device(); }
  const std::vector<sensor::SourceStatus>& sources() const override { return shown_; }
  std::vector<std::string> notes() const override { return all_.notes(); }
  std::optional<MigMode> mig() const override { return all_.mig(); }
  Result<sensor::Reading> read(SourceId source) override { return all_.read(source); }
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime> since) override {
    return all_.drain(since);
  }
  Result<HealthSample> health() override { return all_.health(); }

 private:
  sensor::PowerSensor& all_;
  std::vector<sensor::SourceStatus> shown_;
};

}  // namespace truewatt::study
