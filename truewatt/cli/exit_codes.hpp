#pragma once

#include "truewatt/base/result.hpp"

namespace truewatt::cli {

/// Exit codes of every verb but `run` (docs/architecture.md, "Command line").
enum ExitCode : int {
  kOk = 0,
  kOther = 1,
  kUsage = 2,
  kNoDevice = 3,  ///< no device, or no permission
  kNotValid = 4,  ///< measured, but the data are not whole
};

/// Exit codes of `run` where it is not the child's own.
enum RunExitCode : int {
  kRunFailed = 125,
  kRunNotExecutable = 126,
  kRunNotFound = 127,
};

constexpr int exit_code_of(const Error& error) {
  switch (error.code) {
    case Errc::unavailable:
    case Errc::permission:
    case Errc::device:
      return kNoDevice;
    case Errc::invalid_argument:
      return kUsage;
    default:
      return kOther;
  }
}

}  // namespace truewatt::cli
