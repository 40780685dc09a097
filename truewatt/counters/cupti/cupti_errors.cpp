#include "truewatt/counters/cupti/cupti_errors.hpp"

#include <fmt/format.h>

#include "truewatt/counters/refusal.hpp"

namespace truewatt::counters::cupti {
namespace {

struct Explanation {
  Status status;
  Errc code;
  std::string_view name;  ///< behind CUPTI_ERROR_
  std::string_view meaning;
};

constexpr std::string_view kDefect =
    "this is a defect of truewatt or of CUPTI; please report it with this message";

/// Of cupti_result.h, those that counting can meet. 35 and 40 are refusals, answered apart.
constexpr Explanation kExplanations[] = {
    {1, Errc::device, "INVALID_PARAMETER", kDefect},
    {2, Errc::unavailable, "INVALID_DEVICE", "CUPTI does not know this device"},
    {3, Errc::device, "INVALID_CONTEXT", "the context is not the device's, or has ended"},
    {7, Errc::device, "INVALID_OPERATION",
     "the calls came in an order that CUPTI does not allow, or another tool profiles this context"},
    {8, Errc::unavailable, "OUT_OF_MEMORY", "memory of the host or of the GPU is full"},
    {9, Errc::device, "HARDWARE", "the performance monitor failed; dmesg shows the driver's Xid"},
    {10, Errc::unsupported, "PARAMETER_SIZE_NOT_SUFFICIENT",
     "the library's structures are not those that truewatt knows; use CUPTI of CUDA 12.6 to 13"},
    {11, Errc::unsupported, "API_NOT_IMPLEMENTED", "this CUPTI lacks the call"},
    {12, Errc::unavailable, "MAX_LIMIT_REACHED", "CUPTI has no room for more counters"},
    {13, Errc::timed_out, "NOT_READY", "retry in a moment"},
    {14, Errc::unsupported, "NOT_COMPATIBLE",
     "CUPTI does not fit the driver; install that of the driver's CUDA version"},
    {15, Errc::unavailable, "NOT_INITIALIZED", "CUPTI did not start; is the driver there?"},
    {17, Errc::unsupported, "INVALID_METRIC_NAME", "the chip lacks a metric that was asked for"},
    {26, Errc::unavailable, "HARDWARE_BUSY",
     "another program counts on this GPU: end profilers, pause DCGM (dcgmi profile --pause) and "
     "try again"},
    {27, Errc::unsupported, "NOT_SUPPORTED", "this GPU or driver does not do it"},
    {33, Errc::unsupported, "VIRTUALIZED_DEVICE_NOT_SUPPORTED",
     "virtual GPUs of this kind have no counters"},
    {38, Errc::unsupported, "LEGACY_PROFILER_NOT_SUPPORTED",
     "this GPU needs the range profiler of CUDA 12.6 or later"},
    {39, Errc::unavailable, "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
     "another tool uses CUPTI in this process; run without it (nsys, ncu, a framework's profiler)"},
    {41, Errc::unsupported, "CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
     "in confidential computing the GPU has no counters"},
    {42, Errc::unsupported, "CMP_DEVICE_NOT_SUPPORTED", "mining boards have no counters"},
    {43, Errc::unsupported, "MIG_DEVICE_NOT_SUPPORTED",
     "this CUPTI does not count on MIG instances; count on the whole GPU"},
    {44, Errc::unsupported, "SLI_DEVICE_NOT_SUPPORTED", "switch SLI off to count"},
    {45, Errc::unsupported, "WSL_DEVICE_NOT_SUPPORTED", "this driver does not count under WSL"},
    {46, Errc::unsupported, "INVALID_CHIP_NAME",
     "the GPU is newer than this CUPTI; install a later CUDA toolkit"},
    {999, Errc::device, "UNKNOWN",
     "CUPTI does not say why; most often it does not fit the driver: install that of the driver's "
     "CUDA version"},
};

const Explanation* explanation_of(Status status) {
  for (const auto& row : kExplanations) {
    if (row.status == status) return &row;
  }
  return nullptr;
}

Error refused(Status status, std::string_view call) {
  if (status == 35) {
    return counters_refused(
        fmt::format("{} answers CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)", call));
  }
  return {Errc::permission,
          fmt::format("{}: CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES (40): the host "
                      "of this virtual GPU does not allow counters; its administrator enables "
                      "profiling for the vGPU",
                      call)};
}

constexpr std::string_view text_of(Support support) {
  switch (support) {
    case Support::unknown:
      return "unknown";
    case Support::unsupported:
      return "not supported";
    case Support::disabled:
      return "disabled";
    case Support::supported:
      return "supported";
  }
  return "unknown";
}

}  // namespace

Error describe(Status status, std::string_view call, std::string_view library,
               std::string_view own_name) {
  constexpr Status kInsufficientPrivileges = 35;
  constexpr Status kVirtualInsufficientPrivileges = 40;
  if (status == kInsufficientPrivileges || status == kVirtualInsufficientPrivileges) {
    return refused(status, call);
  }
  if (const auto* row = explanation_of(status)) {
    return {row->code, fmt::format("{}: CUPTI_ERROR_{} ({}): {} ({})", call, row->name, status,
                                   row->meaning, library)};
  }
  return {Errc::device,
          fmt::format("{}: {} ({}): {} ({})", call, own_name.empty() ? "unknown status" : own_name,
                      status, kDefect, library)};
}

Result<void> check_support(const DeviceSupported& device) {
  if (device.overall == Support::supported) return {};
  const std::pair<std::string_view, Support> flags[] = {
      {"the GPU's architecture (CUPTI counts from compute capability 7.5 on)", device.architecture},
      {"SLI", device.sli},
      {"a virtual GPU", device.virtual_gpu},
      {"confidential computing", device.confidential_computing},
      {"a mining board", device.mining_board},
      {"WSL", device.wsl},
  };
  std::string why;
  for (const auto& [what, support] : flags) {
    if (support == Support::supported) continue;
    why += fmt::format("{}{}: {}", why.empty() ? "" : ", ", what, text_of(support));
  }
  const bool is_disabled = device.overall == Support::disabled;
  return Unexpected(
      is_disabled ? Errc::permission : Errc::unsupported,
      fmt::format("CUPTI reads no counters here ({}){}", why.empty() ? "it does not say why" : why,
                  is_disabled ? "; the administrator of the host can enable them" : ""));
}

}  // namespace truewatt::counters::cupti
