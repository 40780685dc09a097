#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/model/device_description.hpp"

namespace truewatt::store {

/// Reads the description of a simulated device from TOML text; keys, units and defaults are those
/// of docs/architecture.md, "Simulated GPU". `origin` (a file name) begins every error message and
/// names the device when the text does not. Unknown keys, wrong types, wrong names, NaN and
/// infinity are errors (parse, or invalid_argument for values that make no sense together) that
/// give the key, the line and, for a wrong name, the nearest allowed one. Pure function of its
/// arguments.
Result<DeviceDescription> read_device_toml(std::string_view text, std::string_view origin);

/// The device that follows `sim:` on the command line: a built-in name, or the path of a file that
/// ends in .toml.
Result<DeviceDescription> find_device(std::string_view selector);

}  // namespace truewatt::store
