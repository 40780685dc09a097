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

/// What a verb was doing when it failed: the same "it is not here" is a mistyped file name at one
/// stage and a missing GPU at the next.
enum class Stage {
  input,   ///< reading what the command line names
  device,  ///< asking devices
  output,  ///< writing results
};

/// The one table of exit codes.
constexpr int exit_code_of(const Error& error, Stage stage) {
  switch (error.code) {
    case Errc::invalid_argument:
      return kUsage;
    case Errc::unavailable:
    case Errc::permission:
      return stage == Stage::input ? kUsage : stage == Stage::device ? kNoDevice : kOther;
    case Errc::device:
      return stage == Stage::device ? kNoDevice : kOther;
    default:
      return kOther;
  }
}

}  // namespace truewatt::cli
