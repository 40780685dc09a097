#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "truewatt/devices/device_set.hpp"
#include "truewatt/sensor/meter/meter.hpp"

namespace truewatt::cli {

/// Names the simulated meter of a simulated GPU.
inline constexpr const char* kSimulatedMeter = "sim";

/// Adds --meter-accuracy.
CLI::Option* add_meter_accuracy(CLI::App& verb, std::optional<double>& share);

/// The meter on the line that was named: null, a simulated one, for a simulated GPU, of which
/// `path` is "sim" or empty. Errors: invalid_argument for the one's name with the other, those of
/// the line and of sensor::connect_meter.
Result<std::unique_ptr<sensor::Meter>> meter_for(devices::DeviceSet& set, const std::string& path);

}  // namespace truewatt::cli
