#pragma once

#include <sys/types.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/base/time_span.hpp"

namespace truewatt::load {

/// A program that does iterations of some work on a GPU when it is told to (validation/README.md):
/// it says `ready NAME`, then answers every `run N` by `done BEGIN END`, the stamps in nanoseconds
/// of CLOCK_MONOTONIC, or by `error TEXT`. Its standard error is ours. The program is told to quit
/// when this is destroyed, and killed where it does not within seconds. One thread at a time.
class WorkloadProcess {
 public:
  /// Starts `argv` in `folder` and waits until it is ready. `clock` is the machine's and must
  /// outlive the process. Errors: unavailable (not found, or it says why it cannot), permission,
  /// timed_out.
  static Result<WorkloadProcess> start(const std::vector<std::string>& argv,
                                       const std::filesystem::path& folder, Clock& clock,
                                       Seconds patience, const std::stop_token& stop);
  WorkloadProcess(WorkloadProcess&& other) noexcept;
  WorkloadProcess& operator=(WorkloadProcess&&) = delete;
  ~WorkloadProcess();

  /// Does so many iterations and returns when. Errors: device (what it said, or that it ended),
  /// timed_out.
  Result<HostSpan> run(long long iterations, Seconds patience, const std::stop_token& stop);

 private:
  WorkloadProcess(std::string name, Clock& clock) : name_(std::move(name)), clock_(&clock) {}
  Result<std::string> answer(Seconds patience, const std::stop_token& stop);

  std::string name_;
  Clock* clock_;
  pid_t child_ = -1;
  int to_ = -1;    ///< its standard input
  int from_ = -1;  ///< its standard output
  std::string read_;
};

}  // namespace truewatt::load
