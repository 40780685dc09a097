#include "truewatt/sensor/host/host_sensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace truewatt::sensor {
namespace {

namespace fs = std::filesystem;

/// Names of a folder's entries that begin with `prefix`, in order; none where it cannot be read.
std::vector<std::string> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || text.empty()) return std::nullopt;
  return value;
}

/// What is found of one RAPL package before its sensor is made.
struct Package {
  std::string name;  ///< the upper zone's
  std::vector<HostSource> sources;
  std::vector<std::string> notes;
};

bool has(const Package& package, SourceId source) {
  return std::any_of(package.sources.begin(), package.sources.end(),
                     [source](const HostSource& one) { return one.source == source; });
}

/// The scope of a RAPL zone's name; `core` and `uncore` are parts of their package.
std::optional<Scope> scope_of_zone(std::string_view name) {
  if (name.starts_with("package")) return Scope::cpu;
  if (name == "dram") return Scope::memory;
  if (name == "psys") return Scope::module;
  return std::nullopt;
}

/// "package-0-die-1": "CPU package 0 die 1 (RAPL)".
std::string label_of_zone(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  return fmt::format("CPU {} (RAPL)", name);
}

void find_rapl(const fs::path& sysfs, const ReadText& read_text,
               std::vector<std::unique_ptr<PowerSensor>>& sensors) {
  constexpr std::string_view kPrefix = "intel-rapl:";
  const fs::path folder = sysfs / "class" / "powercap";
  std::map<std::uint64_t, Package> packages;  // by number of the upper zone
  for (const std::string& zone : entries(folder, kPrefix)) {
    const auto upper = number(std::string_view(zone).substr(kPrefix.size()));
    const auto name = read_text(folder / zone / "name");
    if (!upper || !name) continue;
    Package& package = packages[*upper];
    if (package.name.empty()) package.name = *name;
    const auto scope = scope_of_zone(*name);
    if (!scope || has(package, {SourceKind::energy_counter, *scope})) {
      package.notes.push_back(fmt::format("RAPL zone {} ({}) is not read", zone, *name));
      continue;
    }
    const auto range = read_text(folder / zone / "max_energy_range_uj");
    package.sources.push_back({.source = {SourceKind::energy_counter, *scope},
                               .file = folder / zone / "energy_uj",
                               .range_uj = range ? number(*range) : std::nullopt});
  }
  for (auto& [number, package] : packages) {
    if (package.sources.empty()) continue;
    const bool platform = package.sources.front().source.scope == Scope::module;
    sensors.push_back(std::make_unique<HostSensor>(
        DeviceIdentity{.index = static_cast<int>(number),
                       .name = platform ? "platform (RAPL psys)" : label_of_zone(package.name),
                       .uuid = fmt::format("{}rapl-{}", kHostUuid, number),
                       .driver = std::string(kRaplDriver)},
        std::move(package.sources), std::move(package.notes), read_text));
  }
}

constexpr std::string_view kGraceLabel = " Power Socket ";

/// "CPU Power Socket 0" taken apart.
struct GraceLabel {
  std::string part;
  std::uint64_t socket = 0;
};

std::optional<GraceLabel> parse_grace_label(std::string_view label) {
  const auto at = label.find(kGraceLabel);
  if (at == std::string_view::npos) return std::nullopt;
  const auto socket = number(label.substr(at + kGraceLabel.size()));
  if (!socket) return std::nullopt;
  return GraceLabel{std::string(label.substr(0, at)), *socket};
}

std::optional<GracePart> part_of_label(std::string_view part) {
  if (part == "Module") return GracePart::module;
  if (part == "Grace") return GracePart::whole;
  if (part == "CPU" || part == "SysIO") return GracePart::rail;
  return std::nullopt;
}

/// One of Grace's meters.
struct GraceMeter {
  std::string label;
  std::filesystem::path file;
  GracePart part = GracePart::rail;
  std::vector<std::string> notes;
};

std::unique_ptr<PowerSensor> sensor_of(GraceMeter meter, std::uint64_t socket,
                                       const ReadText& read_text) {
  const Scope scope = meter.part == GracePart::module ? Scope::module : Scope::cpu;
  const std::string part = meter.label.substr(0, meter.label.find(kGraceLabel));
  return std::make_unique<HostSensor>(
      DeviceIdentity{.index = static_cast<int>(socket),
                     .name = meter.label + " (hwmon)",
                     .uuid = fmt::format("{}grace-{}-{}", kHostUuid, socket, part),
                     .driver = std::string(kGraceDriver)},
      std::vector<HostSource>{
          {.source = {SourceKind::power_average, scope}, .file = std::move(meter.file)}},
      std::move(meter.notes), read_text);
}

void find_grace(const fs::path& sysfs, const ReadText& read_text,
                std::vector<std::unique_ptr<PowerSensor>>& sensors) {
  const fs::path folder = sysfs / "class" / "hwmon";
  std::map<std::uint64_t, std::vector<GraceMeter>> sockets;
  for (const std::string& entry : entries(folder, "hwmon")) {
    const fs::path device = folder / entry / "device";
    const auto text = read_text(device / "power1_oem_info");
    const auto label = text ? parse_grace_label(*text) : std::nullopt;
    const auto part = label ? part_of_label(label->part) : std::nullopt;
    if (!part) continue;
    std::vector<GraceMeter>& meters = sockets[label->socket];
    const auto same = std::find_if(meters.begin(), meters.end(),
                                   [&](const GraceMeter& one) { return one.label == *text; });
    if (same != meters.end()) {
      same->notes.push_back(fmt::format("another {} ({}) is not read", *text, entry));
      continue;
    }
    meters.push_back({*text, device / "power1_average", *part, {}});
  }
  for (auto& [socket, meters] : sockets) {
    for (GraceMeter& meter : meters) {
      sensors.push_back(sensor_of(std::move(meter), socket, read_text));
    }
  }
}

}  // namespace

std::optional<GracePart> grace_part(const DeviceIdentity& device) {
  if (device.driver != kGraceDriver) return std::nullopt;
  return part_of_label(std::string_view(device.name).substr(0, device.name.find(kGraceLabel)));
}

std::vector<std::unique_ptr<PowerSensor>> find_host_sensors(const fs::path& sysfs,
                                                            const ReadText& read_text) {
  std::vector<std::unique_ptr<PowerSensor>> sensors;
  find_grace(sysfs, read_text, sensors);
  find_rapl(sysfs, read_text, sensors);
  return sensors;
}

}  // namespace truewatt::sensor
