// The library itself and how its devices are found and identified.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "truewatt/nvml_sim/board_facts.hpp"
#include "truewatt/nvml_sim/exports/entry.hpp"

namespace truewatt::nvml_sim {
namespace {

constexpr unsigned kPciDeviceId = 0x000010de;  // NVIDIA's vendor id, device 0: no real board
constexpr int kCudaVersion = 12000;
constexpr unsigned kBrandUnknown = 0;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Return init() {
  const auto started =
      driver().init({variable("TRUEWATT_SIM_DEVICES"), variable("TRUEWATT_SIM_SEED"),
                     variable("TRUEWATT_SIM_LOAD")});
  return started ? kSuccess : kUnknown;  // nvmlErrorString says more
}

const char* error_string(int code) {
  static thread_local std::string unknown;
  switch (code) {
    case kSuccess:
      return "Success";
    case kUninitialized:
      return "Uninitialized";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNoPermission:
      return "Insufficient Permissions";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    case kDriverNotLoaded:
      return "Driver Not Loaded";
    case kTimeout:
      return "Timeout";
    case kFunctionNotFound:
      return "Function Not Found";
    case kGpuIsLost:
      return "GPU is lost";
    case kArgumentVersionMismatch:
      return "Argument version mismatch";
    case kUnknown:
      break;
    default:
      return "Unknown Error";
  }
  // What a failed nvmlInit answers; it had more to say.
  unknown = driver().last_error();
  return unknown.empty() ? "Unknown Error" : unknown.c_str();
}

Return count(unsigned int* out) {
  if (!driver().initialised()) return kUninitialized;
  return give(static_cast<unsigned int>(driver().device_count()), out);
}

Return handle_by_index(unsigned int index, Handle* out) {
  if (!driver().initialised()) return kUninitialized;
  const auto device = driver().device(index);
  return device == nullptr ? kInvalidArgument : give(static_cast<Handle>(device.get()), out);
}

/// The first device of which `matches` is true.
template <class Matches>
Return handle_where(Matches matches, Handle* out) {
  if (!driver().initialised()) return kUninitialized;
  // Another thread's nvmlInit may shorten the list meanwhile.
  for (std::size_t i = 0; const auto device = driver().device(i); ++i) {
    if (matches(*device)) return give(static_cast<Handle>(device.get()), out);
  }
  return kNotFound;
}

/// That of a MIG instance: clients never write through it.
Handle handle_of(const std::string& uuid) {
  return const_cast<std::string*>(&uuid);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

Return handle_by_uuid(const char* uuid, Handle* out) {
  if (uuid == nullptr) return kInvalidArgument;
  for (std::size_t i = 0; const auto device = driver().device(i); ++i) {
    if (!device->mig()) continue;
    for (const std::string& instance : device->mig()->instances) {
      if (instance == uuid) return give(handle_of(instance), out);
    }
  }
  return handle_where([&](const SimulatedDevice& d) { return d.identity().uuid == uuid; }, out);
}

/// "0000:1b:00.0" and "00000000:1B:00.0" name the same board.
std::string canonical_bus_id(std::string_view text) {
  std::string id(text);
  std::ranges::transform(id, id.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto colon = id.find(':');
  const std::size_t digits = colon == std::string::npos ? 0 : colon;
  return digits < 8 ? std::string(8 - digits, '0') + id : id;
}

Return handle_by_bus_id(const char* bus_id, Handle* out) {
  if (bus_id == nullptr) return kInvalidArgument;
  const auto wanted = canonical_bus_id(bus_id);
  return handle_where([&](const SimulatedDevice& d) { return d.identity().pci == wanted; }, out);
}

PciInfoV3 pci_info(const SimulatedDevice& device) {
  const std::string& id = device.identity().pci;  // "00000000:10:00.0"
  PciInfoV3 info{};
  std::from_chars(id.data() + 9, id.data() + 11, info.begin.bus, 16);
  info.begin.pci_device_id = kPciDeviceId;
  copy_text(id, info.bus_id, sizeof info.bus_id);
  copy_text(std::string_view(id).substr(4), info.begin.bus_id_legacy,
            sizeof info.begin.bus_id_legacy);
  return info;
}

/// The older structs are shorter: only what all generations share may be written.
Return pci_info_of_older_client(Handle handle, PciInfoBegin* out) {
  return on_device(handle, [out](SimulatedDevice& d) { return give(pci_info(d).begin, out); });
}

}  // namespace
}  // namespace truewatt::nvml_sim

namespace sim = truewatt::nvml_sim;
using sim::Handle;
using sim::Return;
using sim::SimulatedDevice;

TRUEWATT_NVML_EXPORT Return nvmlInit() { return sim::init(); }
TRUEWATT_NVML_EXPORT Return nvmlInit_v2() { return sim::init(); }
TRUEWATT_NVML_EXPORT Return nvmlInitWithFlags(unsigned int) { return sim::init(); }
TRUEWATT_NVML_EXPORT Return nvmlShutdown() {
  return sim::driver().shutdown() ? sim::kSuccess : sim::kUninitialized;
}
TRUEWATT_NVML_EXPORT const char* nvmlErrorString(int code) { return sim::error_string(code); }

TRUEWATT_NVML_EXPORT Return nvmlSystemGetDriverVersion(char* out, unsigned int size) {
  return sim::copy_text("simulated", out, size);
}
TRUEWATT_NVML_EXPORT Return nvmlSystemGetNVMLVersion(char* out, unsigned int size) {
  return sim::copy_text("truewatt " TRUEWATT_VERSION, out, size);
}
TRUEWATT_NVML_EXPORT Return nvmlSystemGetCudaDriverVersion(int* out) {
  return sim::give(sim::kCudaVersion, out);
}
TRUEWATT_NVML_EXPORT Return nvmlSystemGetCudaDriverVersion_v2(int* out) {
  return sim::give(sim::kCudaVersion, out);
}
TRUEWATT_NVML_EXPORT Return nvmlSystemGetProcessName(unsigned int, char*, unsigned int) {
  return sim::kNotFound;
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetCount(unsigned int* out) { return sim::count(out); }
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetCount_v2(unsigned int* out) { return sim::count(out); }
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetHandleByIndex(unsigned int index, Handle* out) {
  return sim::handle_by_index(index, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetHandleByIndex_v2(unsigned int index, Handle* out) {
  return sim::handle_by_index(index, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetHandleByUUID(const char* uuid, Handle* out) {
  return sim::handle_by_uuid(uuid, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetHandleByPciBusId(const char* bus_id, Handle* out) {
  return sim::handle_by_bus_id(bus_id, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Handle* out) {
  return sim::handle_by_bus_id(bus_id, out);
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetName(Handle handle, char* out, unsigned int size) {
  return sim::on_device(
      handle, [&](SimulatedDevice& d) { return sim::copy_text(d.identity().name, out, size); });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetUUID(Handle handle, char* out, unsigned int size) {
  const auto instance = sim::driver().find_instance(handle);
  if (instance) return sim::copy_text(instance->uuid, out, size);
  return sim::on_device(
      handle, [&](SimulatedDevice& d) { return sim::copy_text(d.identity().uuid, out, size); });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetIndex(Handle handle, unsigned int* out) {
  return sim::on_device(handle, [out](SimulatedDevice& d) {
    return sim::give(static_cast<unsigned int>(d.identity().index), out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMinorNumber(Handle handle, unsigned int* out) {
  return nvmlDeviceGetIndex(handle, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPciInfo(Handle handle, sim::PciInfoBegin* out) {
  return sim::pci_info_of_older_client(handle, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPciInfo_v2(Handle handle, sim::PciInfoBegin* out) {
  return sim::pci_info_of_older_client(handle, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPciInfo_v3(Handle handle, sim::PciInfoV3* out) {
  return sim::on_device(handle,
                        [out](SimulatedDevice& d) { return sim::give(sim::pci_info(d), out); });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetBrand(Handle handle, unsigned int* out) {
  return sim::on_device(handle,
                        [out](SimulatedDevice&) { return sim::give(sim::kBrandUnknown, out); });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetArchitecture(Handle handle, unsigned int* out) {
  return sim::on_device(handle, [out](SimulatedDevice& d) {
    return sim::give(sim::board_facts(d.description()).architecture, out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetCudaComputeCapability(Handle handle, int* major,
                                                               int* minor) {
  return sim::on_device(handle, [&](SimulatedDevice& d) {
    const auto facts = sim::board_facts(d.description());
    if (facts.compute_major == 0) return sim::kNotSupported;
    const auto code = sim::give(facts.compute_major, major);
    return code == sim::kSuccess ? sim::give(facts.compute_minor, minor) : code;
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMigMode(Handle handle, unsigned int* current,
                                                 unsigned int* pending) {
  return sim::on_device(handle, [&](SimulatedDevice& d) {
    const unsigned int on = d.mig() ? 1 : 0;
    const auto code = sim::give(on, current);
    return code == sim::kSuccess ? sim::give(on, pending) : code;
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMaxMigDeviceCount(Handle handle, unsigned int* out) {
  return sim::on_device(handle, [out](SimulatedDevice& d) {
    return sim::give(d.mig() ? static_cast<unsigned int>(d.mig()->instances.size()) : 0U, out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceIsMigDeviceHandle(Handle handle, unsigned int* out) {
  if (sim::driver().find_instance(handle)) return sim::give(1U, out);
  return sim::on_device(handle, [out](SimulatedDevice&) { return sim::give(0U, out); });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMigDeviceHandleByIndex(Handle handle, unsigned int index,
                                                                Handle* out) {
  return sim::on_device(handle, [&](SimulatedDevice& d) {
    if (!d.mig() || index >= d.mig()->instances.size()) return sim::kNotFound;
    return sim::give(sim::handle_of(d.mig()->instances[index]), out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Handle handle,
                                                                         Handle* out) {
  if (!sim::driver().initialised()) return sim::kUninitialized;
  const auto instance = sim::driver().find_instance(handle);
  if (!instance) return sim::kInvalidArgument;
  return sim::give(static_cast<Handle>(instance->parent.get()), out);
}
