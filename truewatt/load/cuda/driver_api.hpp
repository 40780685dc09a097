#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/load/cuda/driver_abi.hpp"

namespace truewatt::load::cuda {

/// The driver library's soname on Linux.
inline constexpr const char* kDriverLibrary = "libcuda.so.1";

/// The CUDA driver of this machine, found by dlopen: a machine without one still starts, and gets
/// an error that says so. Immutable; shared by everything that holds a driver's object. Thread-safe
/// as far as the driver is.
class DriverApi {
 public:
  /// Opens `library`, resolves the entry points and initialises the driver (cuInit). Errors:
  /// unavailable (no library, no GPU), unsupported (a driver too old for an entry point), device.
  static Result<std::shared_ptr<const DriverApi>> open(const std::string& library = kDriverLibrary);

  const DriverFunctions& functions() const { return functions_; }
  const DriverFunctions* operator->() const { return &functions_; }

  /// Success, or an Error "cannot `doing`: CUDA_ERROR_... (code): what to do".
  Result<void> check(Status status, std::string_view doing) const;
  Unexpected failure(Status status, std::string_view doing) const;

 private:
  DriverApi() = default;
  DriverFunctions functions_;
};

}  // namespace truewatt::load::cuda
