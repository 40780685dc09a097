#include "truewatt/sensor/simulated/simulated_sensor.hpp"

#include <fmt/format.h>

#include <limits>

namespace truewatt::sensor {

DeviceIdentity simulated_identity(const DeviceDescription& description, int index) {
  return {.index = index,
          .name = "sim:" + description.name,
          .uuid = description.uuid,
          .pci = fmt::format("ffffffff:{:02X}:00.0", index),
          .driver = "simulated",
          .power_limit = power_limit(description)};
}

SimulatedSensor::SimulatedSensor(std::shared_ptr<simgpu::SimulatedGpu> gpu, Clock& clock,
                                 HostTime origin, int index)
    : gpu_(std::move(gpu)),
      clock_(clock),
      origin_(origin),
      driver_origin_(clock.realtime_now() - (clock.now() - origin)),
      device_(simulated_identity(gpu_->description(), index)) {
  const FaultDescription& faults = gpu_->description().faults;
  for (const SensorDescription& sensor : gpu_->description().sensors) {
    SourceStatus status{.source = sensor.source, .refusal = std::nullopt};
    for (const SourceKind denied : faults.denied) {
      if (denied != sensor.source.kind) continue;
      status.refusal = Error{
          Errc::permission,
          fmt::format("no permission; remove {} from `denied` in [faults]", to_string(denied))};
    }
    sources_.push_back(std::move(status));
  }
}

std::vector<std::string> SimulatedSensor::notes() const {
  const auto cut = mig();
  return cut ? std::vector{whole_gpu_note(*cut)} : std::vector<std::string>{};
}

double SimulatedSensor::seconds_since_start() const {
  return seconds_between(origin_, clock_.now());
}

void SimulatedSensor::spend(double seconds) {
  if (seconds > 0) clock_.sleep_until(clock_.now() + to_nanoseconds(Seconds(seconds)));
}

Result<Reading> SimulatedSensor::read(SourceId source) {
  const auto answer = gpu_->read(source, seconds_since_start());
  if (!answer) return Unexpected(answer.error());
  spend(answer->cost_s);
  return Reading{answer->value, std::nullopt};
}

Result<std::vector<Reading>> SimulatedSensor::drain(std::optional<DriverTime> since) {
  const double after =
      since ? seconds_between(driver_origin_, *since) : -std::numeric_limits<double>::infinity();
  const auto ring = gpu_->samples(after, seconds_since_start());
  if (!ring) return Unexpected(ring.error());
  spend(ring->cost_s);
  std::vector<Reading> readings;
  readings.reserve(ring->entries.size());
  for (const auto& entry : ring->entries) {
    // The driver stamps in whole microseconds.
    const auto stamp =
        std::chrono::duration_cast<std::chrono::microseconds>(to_nanoseconds(Seconds(entry.stamp)));
    const DriverTime time = driver_origin_ + stamp;
    if (since && time <= *since) continue;
    readings.push_back({entry.value, time});
  }
  return readings;
}

Result<HealthSample> SimulatedSensor::health() {
  const auto state = gpu_->state(seconds_since_start());
  if (!state) return Unexpected(state.error());
  HealthSample sample;
  // Drivers do not tell it of a GPU in MIG mode.
  if (!gpu_->description().mig) sample.utilization_percent = state->utilization_percent;
  sample.p_state = state->context ? 0 : 8;
  sample.temperature_c = state->temperature_c;
  sample.sm_clock_mhz = state->sm_clock_mhz;
  sample.memory_used_bytes = state->memory_used_bytes;
  sample.clocks_event_reasons = state->clocks_event_reasons;
  return sample;
}

}  // namespace truewatt::sensor
