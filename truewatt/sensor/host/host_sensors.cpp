#include "truewatt/sensor/host/host_sensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace truewatt::sensor {
namespace {

namespace fs = std::filesystem;

/// Names of a folder's entries that begin with `prefix`, in order; none where there is no folder.
/// permission: it is there and cannot be listed.
Result<std::vector<std::string>> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  if (failure == std::errc::permission_denied) {
    return Unexpected(Error{Errc::permission,
                            fmt::format("no permission to list {0}; who administers this machine "
                                        "may run `chmod o+rx {0}`",
                                        folder.string())});
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Stands for meters that may be there and that nobody can tell.
std::unique_ptr<PowerSensor> hidden(std::string_view driver, std::string name,
                                    const std::string& uuid, SourceId source, Error why,
                                    const ReadText& read_text) {
  return std::make_unique<HostSensor>(
      DeviceIdentity{.index = 0,
                     .name = std::move(name),
                     .uuid = std::string(kHostUuid) + uuid,
                     .driver = std::string(driver)},
      std::vector<HostSource>{{.source = source, .file = {}, .range_uj = {}, .broken = why}},
      HostNotes{}, read_text);
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
  HostNotes notes;
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
  if (name.empty()) return "CPU package without a name (RAPL)";
  std::replace(name.begin(), name.end(), '-', ' ');
  return fmt::format("CPU {} (RAPL)", name);
}

/// Packages by the number of their upper zone, and by how many of one kind were there before.
using Packages = std::map<std::pair<std::uint64_t, int>, Package>;

/// What a zone is of, with why it is not read where that cannot be told. Nothing of a part of a
/// package.
std::optional<HostSource> source_of_zone(const fs::path& folder, bool is_upper,
                                         const Result<std::string>& name,
                                         const ReadText& read_text) {
  HostSource source{.source = {SourceKind::energy_counter, is_upper ? Scope::cpu : Scope::memory},
                    .file = folder / "energy_uj",
                    .range_uj = {},
                    .broken = {}};
  if (!name) {
    source.broken = name.error();
    return source;
  }
  const auto scope = scope_of_zone(*name);
  if (!scope && !is_upper) return std::nullopt;
  if (!scope) {
    source.broken =
        Error{Errc::unsupported,
              fmt::format("{} is named {}: what it measures is not known", folder.string(), *name)};
    return source;
  }
  source.source.scope = *scope;
  const auto range = read_text(folder / "max_energy_range_uj");
  if (range) source.range_uj = number(*range);
  return source;
}

/// Of two packages of one name at least one is counted twice.
void refuse_namesakes(Packages& packages) {
  std::map<std::string, int> seen;
  for (auto& [key, package] : packages) {
    if (!package.name.starts_with("package") || key.second > 0) continue;
    if (seen[package.name]++ == 0) continue;
    for (HostSource& source : package.sources) {
      source.broken =
          Error{Errc::unsupported,
                fmt::format("a second zone is named {}: whether it is the same is not known",
                            package.name)};
    }
  }
}

void find_rapl(const fs::path& sysfs, const ReadText& read_text,
               std::vector<std::unique_ptr<PowerSensor>>& sensors) {
  constexpr std::string_view kPrefix = "intel-rapl:";
  const fs::path folder = sysfs / "class" / "powercap";
  const auto zones = entries(folder, kPrefix);
  if (!zones) {
    sensors.push_back(hidden(kRaplDriver, "CPU packages (RAPL)", "rapl",
                             {SourceKind::energy_counter, Scope::cpu}, zones.error(), read_text));
    return;
  }
  Packages packages;
  for (const std::string& zone : *zones) {
    const auto upper = number(std::string_view(zone).substr(kPrefix.size()));
    if (!upper) continue;
    const bool is_upper = zone.find(':', kPrefix.size()) == std::string::npos;
    const auto name = read_text(folder / zone / "name");
    const auto source = source_of_zone(folder / zone, is_upper, name, read_text);
    Package* package = &packages[{*upper, 0}];
    if (is_upper) package->name = name ? *name : fmt::format("zone {}", *upper);
    if (!source) {
      package->notes.facts.push_back(
          fmt::format("RAPL zone {} ({}) is part of its package", zone, *name));
      continue;
    }
    for (int k = 1; has(*package, source->source); ++k) {
      const std::string of = packages[{*upper, 0}].name;
      package = &packages[{*upper, k}];
      package->name = fmt::format("{}, zone {},", of, k + 1);
    }
    package->sources.push_back(*source);
  }
  refuse_namesakes(packages);
  for (auto& [key, package] : packages) {
    if (package.sources.empty()) continue;
    const auto& [number, k] = key;
    const bool platform = package.sources.front().source.scope == Scope::module;
    const std::string more = k > 0 ? fmt::format("-{}", k) : "";
    sensors.push_back(std::make_unique<HostSensor>(
        DeviceIdentity{.index = static_cast<int>(number),
                       .name = platform ? "platform (RAPL psys)" : label_of_zone(package.name),
                       .uuid = fmt::format("{}rapl-{}{}", kHostUuid, number, more),
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

std::string without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::optional<GraceLabel> parse_grace_label(std::string_view label) {
  for (std::size_t at = 0; at + kGraceLabel.size() < label.size(); ++at) {
    if (!same_but_for_case(label.substr(at, kGraceLabel.size()), kGraceLabel)) continue;
    const auto socket = number(label.substr(at + kGraceLabel.size()));
    if (!socket || at == 0) return std::nullopt;
    return GraceLabel{std::string(label.substr(0, at)), *socket};
  }
  return std::nullopt;
}

GracePart part_of_label(std::string_view part) {
  constexpr std::array<std::pair<std::string_view, GracePart>, 4> kParts = {
      {{"Module", GracePart::module},
       {"Grace", GracePart::whole},
       {"CPU", GracePart::cpu_rail},
       {"SysIO", GracePart::io_rail}}};
  for (const auto& [name, meant] : kParts) {
    if (same_but_for_case(part, name)) return meant;
  }
  return GracePart::unknown;
}

/// One of Grace's meters.
struct GraceMeter {
  GraceLabel label;
  std::filesystem::path file;
  GracePart part = GracePart::unknown;
  HostNotes notes;
};

std::string name_of(const GraceLabel& label) {
  return fmt::format("{}{}{}", label.part, kGraceLabel, label.socket);
}

std::unique_ptr<PowerSensor> sensor_of(GraceMeter meter, const ReadText& read_text) {
  const Scope scope = meter.part == GracePart::module ? Scope::module : Scope::cpu;
  HostSource source{.source = {SourceKind::power_average, scope},
                    .file = std::move(meter.file),
                    .range_uj = {},
                    .broken = {}};
  if (meter.part == GracePart::unknown) {
    source.broken =
        Error{Errc::unsupported, fmt::format("{} is labelled {}: what it is of is not known",
                                             source.file.string(), name_of(meter.label))};
  }
  return std::make_unique<HostSensor>(
      DeviceIdentity{
          .index = static_cast<int>(meter.label.socket),
          .name = name_of(meter.label) + " (hwmon)",
          .uuid = fmt::format("{}grace-{}-{}", kHostUuid, meter.label.socket, meter.label.part),
          .driver = std::string(kGraceDriver)},
      std::vector<HostSource>{std::move(source)}, std::move(meter.notes), read_text);
}

/// Where the kernel has a meter's files: in its ACPI device, or (newer kernels) beside it.
std::optional<fs::path> folder_of_meter(const fs::path& entry, const ReadText& read_text,
                                        Result<std::string>& label) {
  for (const fs::path& folder : {entry, entry / "device"}) {
    label = read_text(folder / "power1_oem_info");
    if (label || label.error().code == Errc::permission) return folder;
  }
  return std::nullopt;
}

void find_grace(const fs::path& sysfs, const ReadText& read_text,
                std::vector<std::unique_ptr<PowerSensor>>& sensors) {
  const fs::path folder = sysfs / "class" / "hwmon";
  const SourceId of_cpu{SourceKind::power_average, Scope::cpu};
  const auto all = entries(folder, "hwmon");
  if (!all) return;  // every machine has sensors there; few have these
  std::map<std::uint64_t, std::vector<GraceMeter>> sockets;
  for (const std::string& entry : *all) {
    Result<std::string> text = std::string();
    const auto meter_folder = folder_of_meter(folder / entry, read_text, text);
    if (!meter_folder) continue;
    if (!text) {
      sensors.push_back(hidden(kGraceDriver, "a meter of the host (hwmon)", "grace-" + entry,
                               of_cpu, text.error(), read_text));
      continue;
    }
    const auto label = parse_grace_label(without_blanks(*text));
    if (!label) continue;
    std::vector<GraceMeter>& meters = sockets[label->socket];
    const auto same = std::find_if(meters.begin(), meters.end(), [&](const GraceMeter& one) {
      return same_but_for_case(one.label.part, label->part);
    });
    if (same != meters.end()) {
      same->notes.not_read.push_back(fmt::format("another {} ({}) is not read", *text, entry));
      continue;
    }
    meters.push_back({*label, *meter_folder / "power1_average", part_of_label(label->part), {}});
  }
  for (auto& [socket, meters] : sockets) {
    for (GraceMeter& meter : meters) sensors.push_back(sensor_of(std::move(meter), read_text));
  }
}

}  // namespace

std::optional<GracePart> grace_part(const DeviceIdentity& device) {
  if (device.driver != kGraceDriver) return std::nullopt;
  const auto label =
      parse_grace_label(std::string_view(device.name).substr(0, device.name.rfind(" (hwmon)")));
  return label ? part_of_label(label->part) : GracePart::unknown;
}

std::vector<std::unique_ptr<PowerSensor>> find_host_sensors(const fs::path& sysfs,
                                                            const ReadText& read_text) {
  std::vector<std::unique_ptr<PowerSensor>> sensors;
  find_grace(sysfs, read_text, sensors);
  find_rapl(sysfs, read_text, sensors);
  return sensors;
}

}  // namespace truewatt::sensor
