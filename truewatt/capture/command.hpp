#pragma once

#include <functional>
#include <string>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/result.hpp"

namespace truewatt::capture {

/// How a command ended, as a shell would say it: its exit code, or 128 + the signal that killed it.
struct CommandExit {
  int code = 0;
  HostTime begin;             ///< just before it was started
  HostTime end;               ///< just after it was seen to have ended
  bool asked_to_end = false;  ///< SIGINT or SIGTERM came for it meanwhile
};

/// Runs commands as if we were not there: the child inherits standard streams, terminal and process
/// group, so interactive programs and job control work. No signal that one may want to send to the
/// command ends us while it runs (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM, ...): those
/// sent to us are passed on, also those that came before it was started; those that the terminal
/// sends have reached the child already, unless it has left our process group.
///
/// A SIGINT or SIGTERM that finds the command ended stays pending, for StopOnSignal or for the next
/// command.
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
  /// permission (found and not executable), io (no process could be made). A script without an
  /// interpreter's line is run by /bin/sh. `started` is called once it runs.
  Result<CommandExit> run(const std::vector<std::string>& argv, Clock& clock,
                          const std::function<void()>& started = {});

 private:
  struct Signals;
  Signals* signals_;
};

}  // namespace truewatt::capture
