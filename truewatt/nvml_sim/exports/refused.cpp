// What simulated boards do not have, and what only an administrator may do. Clients bind these
// names and live with the answer; without the name some of them give up on the whole library.
#include "truewatt/nvml_sim/exports/entry.hpp"

namespace sim = truewatt::nvml_sim;
using sim::Handle;
using sim::not_supported;
using sim::Return;

namespace {

Return no_permission(Handle handle) {
  return sim::on_device(handle, [](sim::SimulatedDevice&) { return sim::kNoPermission; });
}

}  // namespace

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetSerial(Handle h, char*, unsigned int) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetVbiosVersion(Handle h, char*, unsigned int) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetInforomVersion(Handle h, int, char*, unsigned int) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetInforomImageVersion(Handle h, char*, unsigned int) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetEccMode(Handle h, unsigned int*, unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetTotalEccErrors(Handle h, int, int, unsigned long long*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetDetailedEccErrors(Handle h, int, int, void*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMemoryErrorCounter(Handle h, int, int, int,
                                                            unsigned long long*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetFanSpeed(Handle h, unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetFanSpeed_v2(Handle h, unsigned int, unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetAutoBoostedClocksEnabled(Handle h, unsigned int*,
                                                                  unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetApplicationsClock(Handle h, int, unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetDefaultApplicationsClock(Handle h, int, unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetSupportedMemoryClocks(Handle h, unsigned int*,
                                                               unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetSupportedGraphicsClocks(Handle h, unsigned int,
                                                                 unsigned int*, unsigned int*) {
  return not_supported(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetViolationStatus(Handle h, int, void*) {
  return not_supported(h);
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceSetPowerManagementLimit(Handle h, unsigned int) {
  return no_permission(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceSetPersistenceMode(Handle h, unsigned int) {
  return no_permission(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceSetApplicationsClocks(Handle h, unsigned int, unsigned int) {
  return no_permission(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceSetGpuLockedClocks(Handle h, unsigned int, unsigned int) {
  return no_permission(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceResetGpuLockedClocks(Handle h) { return no_permission(h); }
TRUEWATT_NVML_EXPORT Return nvmlDeviceSetMemoryLockedClocks(Handle h, unsigned int, unsigned int) {
  return no_permission(h);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceResetMemoryLockedClocks(Handle h) { return no_permission(h); }

TRUEWATT_NVML_EXPORT Return nvmlEventSetCreate(void**) { return sim::kNotSupported; }
TRUEWATT_NVML_EXPORT Return nvmlEventSetFree(void*) { return sim::kNotSupported; }
TRUEWATT_NVML_EXPORT Return nvmlEventSetWait(void*, void*, unsigned int) {
  return sim::kNotSupported;
}
TRUEWATT_NVML_EXPORT Return nvmlEventSetWait_v2(void*, void*, unsigned int) {
  return sim::kNotSupported;
}
