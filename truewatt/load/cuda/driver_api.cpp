#include "truewatt/load/cuda/driver_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>

#include "truewatt/base/loader_reason.hpp"

namespace truewatt::load::cuda {
namespace {

struct Advice {
  Status status;
  Errc code;
  std::string_view what_to_do;
};

/// What a status means to somebody who wants to measure. Statuses not listed are the device's
/// fault.
constexpr Advice kAdvice[] = {
    {2, Errc::device, "the GPU's memory is full; end other programs that use this GPU"},
    {3, Errc::unavailable, "the driver did not start; reload its kernel module or reboot"},
    {34, Errc::unavailable,
     "the library is the toolkit's stub, not a driver; take its folder out of LD_LIBRARY_PATH"},
    {46, Errc::permission,
     "the GPU is in exclusive mode and in use; wait, or set its compute mode to default"},
    {100, Errc::unavailable,
     "no GPU is visible to CUDA; check CUDA_VISIBLE_DEVICES and that nvidia-smi lists it"},
    {101, Errc::unavailable, "the device is not there; check CUDA_VISIBLE_DEVICES"},
    {201, Errc::permission,
     "the context is not usable; check that the GPU's compute mode is not prohibited"},
    {209, Errc::unsupported, "the driver has no code for this GPU; update the driver"},
    {214, Errc::device, "the GPU met an uncorrectable memory error; reset the GPU"},
    {218, Errc::unsupported, "the driver did not accept the kernel's PTX; update the driver"},
    {221, Errc::unavailable,
     "the driver's compiler is missing; install libnvidia-ptxjitcompiler.so.1, part of the driver"},
    {222, Errc::unsupported, "the driver is too old for the kernel's PTX; update the driver"},
    {223, Errc::unsupported, "compilation is switched off; unset CUDA_DISABLE_PTX_JIT"},
    {500, Errc::unsupported, "the driver lacks the kernel; update the driver"},
    {700, Errc::device, "the kernel read memory that is not its own; the GPU may be faulty"},
    {702, Errc::timed_out, "a watchdog ended the kernel; measure on a GPU that drives no display"},
    {719, Errc::device, "the kernel failed; dmesg shows the driver's Xid message"},
    {800, Errc::permission,
     "the operating system refused; check the rights on /dev/nvidia* and the container's devices"},
    {801, Errc::unsupported, "this driver and GPU do not do it"},
    {802, Errc::unavailable,
     "the system is not ready; start nvidia-fabricmanager (NVSwitch machines) and try again"},
    {803, Errc::unavailable,
     "kernel module and library of the driver differ in version; reboot or reload the module"},
    {804, Errc::unsupported,
     "the compatibility driver does not support this GPU; use the system's own libcuda.so.1"},
    {999, Errc::device, "the driver does not know why; dmesg shows its Xid messages"},
};

Advice advice_for(Status status) {
  for (const Advice& advice : kAdvice) {
    if (advice.status == status) return advice;
  }
  return {status, Errc::device, "check the GPU with nvidia-smi and dmesg, then try again"};
}

class SymbolTable {
 public:
  SymbolTable(void* library, std::string path) : library_(library), path_(std::move(path)) {}

  /// The first of `names` that the library exports: newest first, older drivers have the rest.
  template <class Function>
  void find(Function*& function, std::initializer_list<const char*> names) {
    find_if_there(function, names);
    if (function == nullptr && missing_.empty()) missing_ = *names.begin();
  }

  /// The same of one that some drivers lack: null then.
  template <class Function>
  void find_if_there(Function*& function, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      function = reinterpret_cast<Function*>(dlsym(library_, name));
      if (function != nullptr) return;
    }
  }

  Result<void> complete() const {
    if (missing_.empty()) return {};
    return Unexpected(Errc::unsupported,
                      fmt::format("{} has no entry point {}; update the NVIDIA driver (CUDA 9 or "
                                  "newer)",
                                  path_, missing_));
  }

 private:
  void* library_;
  std::string path_;
  std::string missing_;
};

Result<DriverFunctions> resolve(void* library, const std::string& path) {
  SymbolTable table(library, path);
  DriverFunctions f;
  table.find(f.init, {"cuInit"});
  table.find(f.error_name, {"cuGetErrorName"});
  table.find(f.device_count, {"cuDeviceGetCount"});
  table.find(f.device_get, {"cuDeviceGet"});
  table.find(f.device_uuid, {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"});
  table.find(f.device_pci_bus_id, {"cuDeviceGetPCIBusId"});
  table.find(f.device_attribute, {"cuDeviceGetAttribute"});
  table.find(f.primary_context_set_flags,
             {"cuDevicePrimaryCtxSetFlags_v2", "cuDevicePrimaryCtxSetFlags"});
  table.find(f.primary_context_retain, {"cuDevicePrimaryCtxRetain"});
  table.find(f.primary_context_release,
             {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease"});
  table.find(f.context_set_current, {"cuCtxSetCurrent"});
  table.find(f.module_load, {"cuModuleLoadDataEx"});
  table.find(f.module_unload, {"cuModuleUnload"});
  table.find(f.module_function, {"cuModuleGetFunction"});
  table.find(f.memory_allocate, {"cuMemAlloc_v2"});
  table.find(f.memory_free, {"cuMemFree_v2"});
  table.find(f.copy_to_device, {"cuMemcpyHtoD_v2"});
  table.find(f.copy_to_host, {"cuMemcpyDtoH_v2"});
  table.find(f.stream_create, {"cuStreamCreate"});
  table.find(f.stream_destroy, {"cuStreamDestroy_v2"});
  table.find(f.stream_synchronize, {"cuStreamSynchronize"});
  table.find(f.event_create, {"cuEventCreate"});
  table.find(f.event_destroy, {"cuEventDestroy_v2"});
  table.find(f.event_record, {"cuEventRecord"});
  table.find(f.event_synchronize, {"cuEventSynchronize"});
  table.find(f.event_elapsed, {"cuEventElapsedTime"});
  table.find(f.launch, {"cuLaunchKernel"});
  table.find_if_there(f.link_create, {"cuLinkCreate_v2"});
  table.find_if_there(f.link_add_data, {"cuLinkAddData_v2"});
  table.find_if_there(f.link_complete, {"cuLinkComplete"});
  table.find_if_there(f.link_destroy, {"cuLinkDestroy"});
  table.find_if_there(f.occupancy, {"cuOccupancyMaxActiveBlocksPerMultiprocessor"});
  if (auto complete = table.complete(); !complete) return Unexpected(complete.error());
  return f;
}

}  // namespace

Result<std::shared_ptr<const DriverApi>> DriverApi::open(const std::string& library) {
  // Never closed: the driver leaves threads of its own behind.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* said = dlerror();
    return Unexpected(
        Errc::unavailable,
        fmt::format("cannot open the CUDA driver ({}); a real load needs an NVIDIA GPU with its "
                    "driver, in a container started with the GPU; simulated devices (sim:h100) "
                    "need none",
                    loader_reason(said != nullptr ? said : "", library)));
  }
  auto functions = resolve(handle, library);
  if (!functions) return Unexpected(functions.error());
  std::shared_ptr<DriverApi> api(new DriverApi);
  api->functions_ = *functions;
  if (auto started = api->check(api->functions_.init(0), "start the CUDA driver"); !started) {
    return Unexpected(started.error());
  }
  return std::shared_ptr<const DriverApi>(std::move(api));
}

Result<void> DriverApi::check(Status status, std::string_view doing) const {
  if (status == kSuccess) return {};
  return failure(status, doing);
}

Unexpected DriverApi::failure(Status status, std::string_view doing) const {
  const char* name = nullptr;
  if (functions_.error_name(status, &name) != kSuccess || name == nullptr) name = "unknown status";
  const Advice advice = advice_for(status);
  return {advice.code,
          fmt::format("cannot {}: {} ({}): {}", doing, name, status, advice.what_to_do)};
}

}  // namespace truewatt::load::cuda
