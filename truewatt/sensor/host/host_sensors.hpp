#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "truewatt/sensor/host/host_sensor.hpp"

namespace truewatt::sensor {

/// Where the kernel shows its devices.
inline constexpr const char* kSysfs = "/sys";
/// DeviceIdentity::driver of the two kinds.
inline constexpr std::string_view kRaplDriver = "powercap";
inline constexpr std::string_view kGraceDriver = "power_meter";

/// What one of Grace's meters is of: a module with CPU and GPUs, the whole of its CPU, or a rail of
/// that, of cores or of I/O.
enum class GracePart { module, whole, cpu_rail, io_rail, unknown };
/// By the name of a sensor that find_host_sensors made; absent for any other.
std::optional<GracePart> grace_part(const DeviceIdentity& device);

/// The host's own power sources, one sensor per RAPL package and per meter of a Grace socket, in
/// order of kind and socket; none where there are none. `sysfs` may be a tree of fixtures. Sources
/// that refuse are there too, with the permission to grant, and what may be one: zones of no name,
/// or of one that nobody knows, meters whose label cannot be read.
///
/// - RAPL of Intel and AMD processors, `class/powercap/intel-rapl:*`: `energy.counter@cpu` of a
///   package, `energy.counter@memory` of its DRAM, `energy.counter@module` of `psys`. Since
///   CVE-2020-8694 only root may read them as a rule.
/// - Grace, `class/hwmon/hwmon*/power1_average` or `.../device/power1_average`, labelled by
///   `power1_oem_info`:
///   a sensor for each label, `power.average@module` of "Module Power Socket N" and
///   `power.average@cpu` of "Grace Power Socket N", the whole CPU, and of its rails "CPU Power
///   Socket N" and "SysIO Power Socket N"; means over 50 ms (SC'24, section VI).
std::vector<std::unique_ptr<PowerSensor>> find_host_sensors(
    const std::filesystem::path& sysfs = kSysfs, const ReadText& read_text = read_kernel_file);

}  // namespace truewatt::sensor
