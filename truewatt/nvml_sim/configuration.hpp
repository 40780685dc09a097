#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/model/device_description.hpp"
#include "truewatt/nvml_sim/background_load.hpp"

namespace truewatt::nvml_sim {

/// The text of the variables that say what is simulated; absent ones have their defaults.
struct ConfigurationText {
  std::optional<std::string> devices;  ///< TRUEWATT_SIM_DEVICES: "a100,sim:h100,/path/x.toml"
  std::optional<std::string> seed;     ///< TRUEWATT_SIM_SEED: a whole number
  std::optional<std::string> load;     ///< TRUEWATT_SIM_LOAD: "period=0.2,duty=0.5,level=1"
  friend bool operator==(const ConfigurationText&, const ConfigurationText&) = default;
};

/// What is simulated: the devices in order of their index, with distinct UUIDs.
struct Configuration {
  std::vector<DeviceDescription> devices;
  std::uint64_t seed = 1;
  std::optional<BackgroundLoad> load;
};

/// Default: one h100, seed 1, no load. An empty list of devices is a machine without GPU. Errors
/// name the variable and its value.
Result<Configuration> parse_configuration(const ConfigurationText& text);

}  // namespace truewatt::nvml_sim
