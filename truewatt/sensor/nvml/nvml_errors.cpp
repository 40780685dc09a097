#include "truewatt/sensor/nvml/nvml_errors.hpp"

#include <fmt/format.h>

namespace truewatt::sensor::nvml {
namespace {

struct Explanation {
  Return code;
  Errc errc;
  std::string_view meaning;
  std::string_view advice;
};

constexpr std::string_view kOurBug =
    "this is a defect of truewatt or of the NVML library; please report it";
constexpr std::string_view kReset =
    "look for an Xid line in dmesg, then reset it (nvidia-smi --gpu-reset) or reboot";
constexpr std::string_view kOldDriver =
    "this device or driver version cannot do it; another source may answer";

// Errc::device ends the sampling of a GPU: only what no retry can cure.
constexpr Explanation kExplanations[] = {
    {Return::uninitialized, Errc::unavailable, "NVML is not initialised", kOurBug},
    {Return::invalid_argument, Errc::unsupported, "invalid argument", kOldDriver},
    {Return::not_supported, Errc::unsupported, "not supported", kOldDriver},
    {Return::no_permission, Errc::permission, "no permission",
     "the user needs read and write access to /dev/nvidiactl and /dev/nvidiaN; in a container pass "
     "the GPU in (--gpus all), under Slurm ask for it (--gres=gpu)"},
    {Return::already_initialized, Errc::unavailable, "already initialised", kOurBug},
    {Return::not_found, Errc::unavailable, "not found",
     "compare the device's id with `truewatt devices`"},
    {Return::insufficient_size, Errc::unavailable, "buffer too small", kOurBug},
    {Return::insufficient_power, Errc::unavailable, "external power cables are not attached",
     "check the board's power connectors"},
    {Return::driver_not_loaded, Errc::unavailable, "the NVIDIA driver is not loaded",
     "load it (modprobe nvidia) and see dmesg if that fails; in a container the host must have it"},
    {Return::timeout, Errc::timed_out, "the driver did not answer in time",
     "retry; if it stays so look for an Xid line in dmesg"},
    {Return::irq_issue, Errc::unavailable, "the driver has an interrupt problem with the GPU",
     kReset},
    {Return::library_not_found, Errc::unavailable, "a library of the driver was not found",
     "reinstall the driver's user-space libraries; in a container set "
     "NVIDIA_DRIVER_CAPABILITIES=utility"},
    {Return::function_not_found, Errc::unsupported, "the library has no such function",
     "the driver is too old for it; another source may answer"},
    {Return::corrupted_inforom, Errc::unavailable, "the board's infoROM is corrupted",
     "the board needs servicing (nvidia-smi -q shows its state)"},
    {Return::gpu_is_lost, Errc::device, "the GPU has fallen off the bus", kReset},
    {Return::reset_required, Errc::device, "the GPU must be reset before it can be used", kReset},
    {Return::operating_system, Errc::permission, "the operating system or a cgroup blocks the GPU",
     "allow the device files in the container or job (--gpus all, --gres=gpu)"},
    {Return::lib_rm_version_mismatch, Errc::unavailable,
     "the NVML library and the loaded kernel driver have different versions",
     "the driver was updated without a reboot: reboot, or reload the kernel module; in a container "
     "use the host's libnvidia-ml.so.1"},
    {Return::in_use, Errc::unavailable, "the GPU is in use", "close the program that holds it"},
    {Return::memory, Errc::unavailable, "NVML is out of memory", "free memory on the host"},
    {Return::no_data, Errc::unavailable, "no data", "the device has nothing to report yet; retry"},
    {Return::argument_version_mismatch, Errc::unsupported, "argument version mismatch", kOldDriver},
    {Return::not_ready, Errc::timed_out, "not ready", "retry in a moment"},
    {Return::gpu_not_found, Errc::unavailable, "no GPU found",
     "check that lspci lists the board and that the driver claims it"},
    {Return::invalid_state, Errc::unavailable, "the device is in a state that does not allow it",
     "nvidia-smi -q shows its state"},
};

Explanation explanation_of(Return code) {
  for (const auto& row : kExplanations) {
    if (row.code == code) return row;
  }
  return {code, Errc::unavailable, "unknown error",
          "it may pass; if it stays, nvidia-smi -q and dmesg may say more"};
}

}  // namespace

Error describe(Return code, std::string_view subject, std::string_view call) {
  const auto row = explanation_of(code);
  return {row.errc, fmt::format("{}: {} failed with {} ({}): {}", subject, call,
                                static_cast<int>(code), row.meaning, row.advice)};
}

bool means_gpu_lost(Return code) {
  return code == Return::gpu_is_lost || code == Return::reset_required;
}

std::optional<double> to_double(const Value& value, ValueType type) {
  switch (type) {
    case ValueType::float64:
      return value.float64;
    case ValueType::unsigned_int:
      return value.unsigned_int;
    case ValueType::unsigned_long:
      return static_cast<double>(value.unsigned_long);
    case ValueType::unsigned_long_long:
      return static_cast<double>(value.unsigned_long_long);
    case ValueType::signed_long_long:
      return static_cast<double>(value.signed_long_long);
    case ValueType::signed_int:
      return value.signed_int;
    case ValueType::unsigned_short:
      return value.unsigned_short;
  }
  return std::nullopt;
}

}  // namespace truewatt::sensor::nvml
