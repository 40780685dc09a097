#include "truewatt/capture/command.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace truewatt::capture {
namespace {

constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// A handler that does nothing: an ignored signal would never become pending, SIGCHLD least of all.
void wake_up(int /*signal*/) {}

Unexpected spawn_error(int error, const std::string& program) {
  const std::string why = std::strerror(error);
  if (error == ENOENT) {
    return {Errc::unavailable,
            fmt::format("{}: command not found; give its path or check PATH", program)};
  }
  if (error == EACCES || error == ENOEXEC || error == EISDIR) {
    return {
        Errc::permission,
        fmt::format("{}: cannot be executed ({}); make it executable with chmod +x", program, why)};
  }
  return {Errc::io, fmt::format("{}: could not be started: {}", program, why)};
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

struct CommandRunner::Signals {
  sigset_t handled{};
  sigset_t before{};
  struct sigaction child_before {};
};

CommandRunner::CommandRunner() : signals_(new Signals) {
  sigemptyset(&signals_->handled);
  for (const int signal : kForwarded) sigaddset(&signals_->handled, signal);
  sigaddset(&signals_->handled, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &signals_->handled, &signals_->before);
  struct sigaction action {};
  action.sa_handler = wake_up;
  sigaction(SIGCHLD, &action, &signals_->child_before);
}

CommandRunner::~CommandRunner() {
  // The Ctrl-C that ended the command may still wait for us; it has done its work.
  const timespec at_once{};
  while (sigtimedwait(&signals_->handled, nullptr, &at_once) > 0) {
  }
  sigaction(SIGCHLD, &signals_->child_before, nullptr);
  pthread_sigmask(SIG_SETMASK, &signals_->before, nullptr);
  delete signals_;
}

Result<CommandExit> CommandRunner::run(const std::vector<std::string>& argv, Clock& clock) {
  assert(!argv.empty());
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  std::vector<std::string> copies = argv;  // posix_spawn wants them writable
  for (std::string& argument : copies) arguments.push_back(argument.data());
  arguments.push_back(nullptr);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGCHLD);
  posix_spawnattr_setsigmask(&attributes, &signals_->before);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  CommandExit exit{.begin = clock.now()};
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return spawn_error(error, argv[0]);

  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) {
      exit.end = clock.now();
      exit.code = exit_code_of(status);
      return exit;
    }
    if (ended < 0 && errno != EINTR) {
      return Unexpected(Errc::io, fmt::format("waiting for {}: {}", argv[0], std::strerror(errno)));
    }
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals_->handled, &info);
    // What the terminal sends (SI_KERNEL) goes to the whole foreground group, the child included.
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(child, signal);
  }
}

}  // namespace truewatt::capture
