#include "truewatt/nvml_sim/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "truewatt/base/parse.hpp"
#include "truewatt/store/device_file.hpp"

namespace truewatt::nvml_sim {
namespace {

constexpr std::string_view kDefaultDevices = "h100";
constexpr std::string_view kSimPrefix = "sim:";

Unexpected in_variable(std::string_view name, const Error& error) {
  return {error.code, fmt::format("{}: {}", name, error.message)};
}

/// Boards of one description are told apart by UUID, as real ones are; the first keeps its own.
void make_uuids_distinct(std::vector<DeviceDescription>& devices) {
  std::set<std::string> taken;
  for (auto& device : devices) {
    const auto own = device.uuid;
    for (int copy = 2; !taken.insert(device.uuid).second; ++copy) {
      device.uuid = uuid_from_content(fmt::format("{}, copy {}", own, copy));
    }
  }
}

Result<std::vector<DeviceDescription>> parse_devices(std::string_view list) {
  std::vector<DeviceDescription> devices;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    auto name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (name.starts_with(kSimPrefix)) name.remove_prefix(kSimPrefix.size());
    auto device = store::find_device(name);
    if (!device) return in_variable("TRUEWATT_SIM_DEVICES", device.error());
    devices.push_back(*std::move(device));
  }
  make_uuids_distinct(devices);
  return devices;
}

Result<std::uint64_t> parse_seed(const std::string& text) {
  const auto seed = parse_integer<std::uint64_t>(text);
  if (!seed) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("TRUEWATT_SIM_SEED: '{}' is not a whole number", text));
  }
  return *seed;
}

}  // namespace

Result<Configuration> parse_configuration(const ConfigurationText& text) {
  Configuration configuration;
  auto devices = parse_devices(text.devices.value_or(std::string(kDefaultDevices)));
  if (!devices) return Unexpected(devices.error());
  configuration.devices = *std::move(devices);
  if (text.seed) {
    const auto seed = parse_seed(*text.seed);
    if (!seed) return Unexpected(seed.error());
    configuration.seed = *seed;
  }
  if (text.load && !text.load->empty()) {
    const auto load = parse_background_load(*text.load);
    if (!load) return in_variable("TRUEWATT_SIM_LOAD", load.error());
    configuration.load = *load;
  }
  return configuration;
}

}  // namespace truewatt::nvml_sim
