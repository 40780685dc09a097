#include "truewatt/experiment/session.hpp"

namespace truewatt::experiment {

void say(const Progress& progress, std::optional<double> share, const std::string& what) {
  if (progress) progress(share, what);
}

Progress part_of(const Progress& whole, std::size_t part, std::size_t parts) {
  if (!whole) return {};
  return [whole, part, parts](std::optional<double> share, const std::string& what) {
    const double done = static_cast<double>(part) + share.value_or(0.0);
    whole(done / static_cast<double>(parts), what);
  };
}

Result<capture::Recorder> make_recorder(const std::optional<std::filesystem::path>& out,
                                        const store::Metadata& metadata, bool is_virtual,
                                        bool on_trial) {
  if (!out) return capture::Recorder();
  auto file = store::RunFileWriter::create(
      *out, metadata, {.survive_power_cut = !is_virtual, .on_trial = on_trial});
  if (!file) {
    Error error = file.error();
    if (error.code == Errc::unavailable || error.code == Errc::permission) error.code = Errc::io;
    return Unexpected(std::move(error));
  }
  return capture::Recorder(std::optional(std::move(*file)));
}

std::vector<sensor::PowerSensor*> sensors_of(devices::DeviceSet& set) {
  std::vector<sensor::PowerSensor*> sensors;
  for (devices::Device& device : set.devices) sensors.push_back(device.sensor.get());
  return sensors;
}

void keep_devices(const devices::DeviceSet& set, capture::Capture& capture) {
  capture.keep(set.clock);
  for (const devices::Device& device : set.devices) capture.keep(device.sensor);
}

Result<PreparedLoads> prepare_loads(devices::DeviceSet& set, const load::Schedule& schedule,
                                    const devices::Environment& environment,
                                    const Progress& progress) {
  PreparedLoads loads;
  for (devices::Device& device : set.devices) {
    say(progress, std::nullopt, "preparing the load on " + device.sensor->device().name);
    auto load = devices::make_load(set, device, environment);
    if (!load) return Unexpected(load.error());
    if (const auto prepared = (*load)->prepare(schedule); !prepared) {
      return Unexpected(prepared.error());
    }
    loads.all.push_back(load->get());
    loads.owned.push_back(std::move(*load));
  }
  set.idle_since.reset();
  return loads;
}

}  // namespace truewatt::experiment
