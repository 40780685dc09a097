#pragma once

#include <memory>

#include "truewatt/base/clock.hpp"
#include "truewatt/sensor/power_sensor.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::sensor {

/// A simulated GPU behind the sensor seam. The GPU was started at `origin` on the clock; a call
/// takes its simulated cost on that clock (virtual: time passes; real: the caller waits).
class SimulatedSensor : public PowerSensor {
 public:
  SimulatedSensor(std::shared_ptr<simgpu::SimulatedGpu> gpu, Clock& clock, HostTime origin,
                  int index);

  const DeviceIdentity& device() const override { return device_; }
  const std::vector<SourceStatus>& sources() const override { return sources_; }
  std::vector<std::string> notes() const override;
  std::optional<MigMode> mig() const override { return mig_mode(gpu_->description()); }
  Result<Reading> read(SourceId source) override;
  Result<std::vector<Reading>> drain(std::optional<DriverTime> since) override;
  Result<HealthSample> health() override;

 private:
  double seconds_since_start() const;
  void spend(double seconds);

  std::shared_ptr<simgpu::SimulatedGpu> gpu_;
  Clock& clock_;
  HostTime origin_;
  DriverTime driver_origin_;
  DeviceIdentity device_;
  std::vector<SourceStatus> sources_;
};

/// Identity of a simulated device: name `sim:NAME`, UUID from its description.
DeviceIdentity simulated_identity(const DeviceDescription& description, int index);

}  // namespace truewatt::sensor
