#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/recorder.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::experiment {

/// What every verb that plays loads and records needs before it begins.

void say(const Progress& progress, std::optional<double> share, const std::string& what);

/// The progress of one of several parts that take about as long as each other, as the whole's.
Progress part_of(const Progress& whole, std::size_t part, std::size_t parts);

/// A recorder, into a run file when one is named. A file that cannot be made is Errc::io: neither
/// a device that is missing or refuses, nor a command that cannot be found or executed.
/// `on_trial`: an earlier file comes back unless the recorder's keep_file() or finish() is called.
Result<capture::Recorder> make_recorder(const std::optional<std::filesystem::path>& out,
                                        const store::Metadata& metadata, bool is_virtual,
                                        bool on_trial = false);

std::vector<sensor::PowerSensor*> sensors_of(devices::DeviceSet& set);

/// Has the capture keep what its threads use of the set, should a driver's call never return.
void keep_devices(const devices::DeviceSet& set, capture::Capture& capture);

struct PreparedLoads {
  std::vector<std::unique_ptr<load::Load>> owned;
  std::vector<load::Load*> all;  ///< one per device, in the set's order
};

/// A load for every device of the set, ready to play `schedule` and others like it.
Result<PreparedLoads> prepare_loads(devices::DeviceSet& set, const load::Schedule& schedule,
                                    const devices::Environment& environment,
                                    const Progress& progress);

}  // namespace truewatt::experiment
