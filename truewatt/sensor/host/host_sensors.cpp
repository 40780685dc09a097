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

/// What is found of one socket before its sensor is made.
struct Socket {
  std::vector<HostSource> sources;
  std::vector<std::string> notes;
};

bool has(const Socket& socket, SourceId source) {
  return std::any_of(socket.sources.begin(), socket.sources.end(),
                     [source](const HostSource& one) { return one.source == source; });
}

/// The scope of a RAPL zone's name; `core` and `uncore` are parts of their package.
std::optional<Scope> scope_of_zone(std::string_view name) {
  if (name.starts_with("package")) return Scope::cpu;
  if (name == "dram") return Scope::memory;
  if (name == "psys") return Scope::module;
  return std::nullopt;
}

void find_rapl(const fs::path& sysfs, const ReadText& read_text,
               std::vector<std::unique_ptr<PowerSensor>>& sensors) {
  constexpr std::string_view kPrefix = "intel-rapl:";
  const fs::path folder = sysfs / "class" / "powercap";
  std::map<std::uint64_t, Socket> packages;  // by number of the upper zone
  for (const std::string& zone : entries(folder, kPrefix)) {
    const auto package = number(std::string_view(zone).substr(kPrefix.size()));
    const auto name = read_text(folder / zone / "name");
    if (!package || !name) continue;
    Socket& socket = packages[*package];
    const auto scope = scope_of_zone(*name);
    if (!scope || has(socket, {SourceKind::energy_counter, *scope})) {
      socket.notes.push_back(fmt::format("RAPL zone {} ({}) is not read", zone, *name));
      continue;
    }
    const auto range = read_text(folder / zone / "max_energy_range_uj");
    socket.sources.push_back({.source = {SourceKind::energy_counter, *scope},
                              .file = folder / zone / "energy_uj",
                              .range_uj = range ? number(*range) : std::nullopt});
  }
  for (auto& [package, socket] : packages) {
    if (socket.sources.empty()) continue;
    const bool platform = socket.sources.front().source.scope == Scope::module;
    sensors.push_back(std::make_unique<HostSensor>(
        DeviceIdentity{.index = static_cast<int>(package),
                       .name = platform ? "platform (RAPL psys)"
                                        : fmt::format("CPU package {} (RAPL)", package),
                       .uuid = fmt::format("{}rapl-{}", kHostUuid, package),
                       .driver = std::string(kRaplDriver)},
        std::move(socket.sources), std::move(socket.notes), read_text));
  }
}

/// "CPU Power Socket 0" taken apart.
struct GraceLabel {
  std::string part;
  std::uint64_t socket = 0;
};

std::optional<GraceLabel> parse_grace_label(std::string_view label) {
  constexpr std::string_view kMiddle = " Power Socket ";
  const auto at = label.find(kMiddle);
  if (at == std::string_view::npos) return std::nullopt;
  const auto socket = number(label.substr(at + kMiddle.size()));
  if (!socket) return std::nullopt;
  return GraceLabel{std::string(label.substr(0, at)), *socket};
}

void find_grace(const fs::path& sysfs, const ReadText& read_text,
                std::vector<std::unique_ptr<PowerSensor>>& sensors) {
  const fs::path folder = sysfs / "class" / "hwmon";
  std::map<std::uint64_t, Socket> sockets;
  for (const std::string& entry : entries(folder, "hwmon")) {
    const fs::path device = folder / entry / "device";
    const auto text = read_text(device / "power1_oem_info");
    const auto label = text ? parse_grace_label(*text) : std::nullopt;
    if (!label) continue;
    Socket& socket = sockets[label->socket];
    const Scope scope = label->part == "CPU" ? Scope::cpu : Scope::module;
    const bool has_scope = label->part == "CPU" || label->part == "Module";
    if (!has_scope || has(socket, {SourceKind::power_average, scope})) {
      socket.notes.push_back(fmt::format("{} ({}) is not read", *text, entry));
      continue;
    }
    socket.sources.push_back({.source = {SourceKind::power_average, scope},
                              .file = device / "power1_average",
                              .range_uj = std::nullopt});
  }
  for (auto& [number, socket] : sockets) {
    if (socket.sources.empty()) continue;
    sensors.push_back(std::make_unique<HostSensor>(
        DeviceIdentity{.index = static_cast<int>(number),
                       .name = fmt::format("Grace socket {} (hwmon)", number),
                       .uuid = fmt::format("{}grace-{}", kHostUuid, number),
                       .driver = std::string(kGraceDriver)},
        std::move(socket.sources), std::move(socket.notes), read_text));
  }
}

}  // namespace

std::vector<std::unique_ptr<PowerSensor>> find_host_sensors(const fs::path& sysfs,
                                                            const ReadText& read_text) {
  std::vector<std::unique_ptr<PowerSensor>> sensors;
  find_grace(sysfs, read_text, sensors);
  find_rapl(sysfs, read_text, sensors);
  return sensors;
}

}  // namespace truewatt::sensor
