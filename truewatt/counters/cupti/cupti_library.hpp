#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/cupti/cupti_abi.hpp"
#include "truewatt/counters/cupti/cupti_errors.hpp"

namespace truewatt::counters::cupti {

/// What is asked of the CUDA driver, of the library that the process has open. Null where it lacks
/// it or none is open.
struct Driver {
  int (*version)(int*) = nullptr;              ///< cuDriverGetVersion: 12080 for CUDA 12.8
  int (*synchronize)() = nullptr;              ///< cuCtxSynchronize
  int (*current_context)(Context*) = nullptr;  ///< cuCtxGetCurrent
  int (*current_device)(int*) = nullptr;       ///< cuCtxGetDevice
};
Driver driver_of_process();
/// 12 for CUDA 12.8.
std::optional<int> cuda_major(const Driver& driver);

/// A CUPTI that has the range profiler. Stays open until the process ends: it hooks into the
/// driver. Immutable; thread-safe as far as CUPTI is.
class Library {
 public:
  /// Opens the first of `candidates` that is there and has all functions. `unavailable` where there
  /// is none, `unsupported` where all are too old.
  static Result<std::shared_ptr<const Library>> open(const std::vector<std::string>& candidates);
  /// Of functions that are already in the process.
  static std::shared_ptr<const Library> adopt(const Functions& functions, std::string path);

  const Functions& functions() const { return functions_; }
  const std::string& path() const { return path_; }
  /// cuptiGetVersion: 130001 for CUDA 13.0, 26 for 12.8; 0 where it does not say.
  std::uint32_t version() const { return version_; }

  /// Calls `entry`; an error names the call, CUPTI's status and what to do.
  template <class Parameters>
  Result<void> call(const EntryPoint<Parameters>& entry, Parameters& parameters) const {
    const Status status = entry.call(&parameters);
    if (status == kSuccess) return {};
    return Unexpected(describe(status, entry.name, path_, name_of(status)));
  }

 private:
  Library(const Functions& functions, std::string path)
      : functions_(functions), path_(std::move(path)) {}
  std::string name_of(Status status) const;

  Functions functions_;
  std::string path_;
  std::uint32_t version_ = 0;
  Status (*result_string_)(Status, const char**) = nullptr;
};

}  // namespace truewatt::counters::cupti
