#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/sensor/nvml/nvml_device.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::sensor {

/// The power sensor of one NVIDIA GPU, read through NVML. What it offers is found by asking the
/// device, never from its name; construction asks every source once (about 15 ms).
///
/// Costs, measured on an H200: a power field answers from the client's cache in 0.4 us, and in
/// 2.5 ms when it refreshes the cache, once per 100 ms. power.average and power.instant are
/// separate calls, and reading both doubles that (5.6 ms). energy.counter always asks the driver
/// (2.4 ms); draining the ring every 50 ms takes 0.7 ms on average. Only ring entries have a stamp.
///
/// energy.counter is offered for the GPU only, and for the module where the driver has a counter
/// that is demonstrably another one: drivers answer every scope of the old field with the same
/// number. On superchips that number covers the whole module; notes() says when this may be so.
class NvmlSensor final : public PowerSensor {
 public:
  /// `notes` are passed through, ahead of what the sensor itself has to say.
  NvmlSensor(nvml::DeviceCalls calls, std::vector<std::string> notes,
             std::optional<MigMode> mig = {});

  const DeviceIdentity& device() const override { return calls_.identity(); }
  const std::vector<SourceStatus>& sources() const override { return sources_; }
  std::vector<std::string> notes() const override { return notes_; }
  std::optional<MigMode> mig() const override { return mig_; }
  Result<Reading> read(SourceId source) override;
  Result<std::vector<Reading>> drain(std::optional<DriverTime> since) override;
  Result<HealthSample> health() override { return calls_.health(); }

 private:
  void probe(SourceKind kind);
  void probe(SourceId source);
  void probe_ring(SourceId source);
  void probe_module_counter(SourceId source);
  void note_superchip();
  const SourceStatus* find(SourceId source) const;
  Result<Reading> ask(SourceId source) const;
  Result<Reading> ask_energy(Scope scope) const;

  nvml::DeviceCalls calls_;
  std::vector<SourceStatus> sources_;
  std::vector<std::string> notes_;
  std::optional<MigMode> mig_;
  std::uint32_t ring_capacity_ = 0;
};

}  // namespace truewatt::sensor
