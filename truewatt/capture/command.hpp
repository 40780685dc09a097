#pragma once

#include <string>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/result.hpp"

namespace truewatt::capture {

/// How a command ended, as a shell would say it: its exit code, or 128 + the signal that killed it.
struct CommandExit {
  int code = 0;
  HostTime begin;  ///< just before it was started
  HostTime end;    ///< just after it was seen to have ended
};

/// Runs commands as if we were not there: the child inherits standard streams, terminal and process
/// group, so interactive programs and job control work. SIGINT, SIGTERM, SIGHUP and SIGQUIT do not
/// end us while it runs; those sent to us alone are passed on, those that the terminal sends have
/// reached the child already.
///
/// Blocks the handled signals in the calling thread from construction to destruction: construct it
/// before any other thread is started, so that all threads inherit the mask. One at a time.
class CommandRunner {
 public:
  CommandRunner();
  ~CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  /// Starts the command, searching PATH, and waits for its end. Errors: unavailable (not found),
  /// permission (found and not executable), io (no process could be made).
  Result<CommandExit> run(const std::vector<std::string>& argv, Clock& clock);

 private:
  struct Signals;
  Signals* signals_;
};

}  // namespace truewatt::capture
