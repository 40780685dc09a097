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
#include <filesystem>
#include <optional>
#include <utility>

namespace truewatt::capture {
namespace {

/// What programs ask each other with; each would otherwise end us or pass the command by.
constexpr std::array kForwarded = {SIGINT,    SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
                                   SIGVTALRM, SIGPROF, SIGURG, SIGIO,   SIGPWR,  SIGCONT, SIGWINCH};

/// Those that a terminal sends by itself, to the whole foreground group.
bool is_of_terminals(int signal) {
  return signal == SIGINT || signal == SIGQUIT || signal == SIGHUP || signal == SIGWINCH ||
         signal == SIGCONT;
}

/// A handler that does nothing: an ignored signal would never become pending, SIGCHLD least of all.
void wake_up(int /*signal*/) {}

bool asks_to_end(int signal) { return signal == SIGINT || signal == SIGTERM; }

Unexpected spawn_error(int error, const std::string& program) {
  std::error_code ignored;
  const std::string why = std::strerror(error);
  switch (error) {
    case ENOENT:
      return {Errc::unavailable,
              fmt::format("{}: command not found; {}", program,
                          program.find(' ') == std::string::npos
                              ? "give its path or check PATH"
                              : "leave the quotes out, or run it by a shell: sh -c '...'")};
    case EAGAIN:
    case ENOMEM:
      return {Errc::io, fmt::format("{}: could not be started: {}", program, why)};
    case EACCES:
      return {Errc::permission, fmt::format("{}: cannot be executed ({}); {}", program, why,
                                            std::filesystem::is_directory(program, ignored)
                                                ? "it is a folder"
                                                : "make it executable with chmod +x")};
    default:
      return {Errc::permission, fmt::format("{}: cannot be executed ({})", program, why)};
  }
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Starts a program with a mask of blocked signals. The error number, or 0.
int spawn(pid_t& child, std::vector<std::string> argv, const sigset_t& mask) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (std::string& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGCHLD);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error =
      posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/// A script that does not name its interpreter is the shell's, as for execvp(3) and env(1). The
/// shell searches PATH as we did.
int spawn_or_interpret(pid_t& child, const std::vector<std::string>& argv, const sigset_t& mask) {
  const int error = spawn(child, argv, mask);
  if (error != ENOEXEC) return error;
  std::vector<std::string> shell = {"/bin/sh", "-c", R"(exec "$0" "$@")"};
  shell.insert(shell.end(), argv.begin(), argv.end());
  return spawn(child, std::move(shell), mask);
}

/// Takes what is pending; nothing when nothing is.
std::optional<siginfo_t> take_pending(const sigset_t& signals) {
  const timespec at_once{};
  siginfo_t info{};
  if (sigtimedwait(&signals, &info, &at_once) <= 0) return std::nullopt;
  return info;
}

}  // namespace

struct CommandRunner::Signals {
  sigset_t handled{};
  sigset_t before{};
  struct sigaction child_before {};

  /// What the terminal sends goes to the whole foreground group: the child has it unless it has
  /// left our group, as timeout(1) does.
  static bool has_reached(pid_t child, const siginfo_t& info) {
    return info.si_code == SI_KERNEL && is_of_terminals(info.si_signo) &&
           getpgid(child) == getpgrp();
  }

  /// Before the child could be there a terminal did not reach it: everything that came goes on.
  /// True when a request to end was among it.
  bool forward_what_came_early(pid_t child) const {
    bool asked = false;
    while (const auto info = take_pending(handled)) {
      if (info->si_signo != SIGCHLD) kill(child, info->si_signo);
      asked = asked || asks_to_end(info->si_signo);
    }
    return asked;
  }

  /// Once the child is gone, a request to end is for us. The terminal's has ended the child too:
  /// true when it came.
  bool keep_what_is_for_us() const {
    bool asked = false;
    std::vector<int> ours;
    while (const auto info = take_pending(handled)) {
      if (!asks_to_end(info->si_signo)) continue;
      if (info->si_code == SI_KERNEL) {
        asked = true;
      } else {
        ours.push_back(info->si_signo);
      }
    }
    for (const int signal : ours) kill(getpid(), signal);
    return asked;
  }
};

CommandRunner::CommandRunner() : signals_(new Signals) {
  sigemptyset(&signals_->handled);
  for (const int signal : kForwarded) sigaddset(&signals_->handled, signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaddset(&signals_->handled, signal);
  sigaddset(&signals_->handled, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &signals_->handled, &signals_->before);
  struct sigaction action {};
  action.sa_handler = wake_up;
  sigaction(SIGCHLD, &action, &signals_->child_before);
}

CommandRunner::~CommandRunner() {
  // What came after the command's end is nobody's; the result that is to be printed outlives it.
  while (take_pending(signals_->handled)) {
  }
  sigaction(SIGCHLD, &signals_->child_before, nullptr);
  pthread_sigmask(SIG_SETMASK, &signals_->before, nullptr);
  delete signals_;
}

Result<CommandExit> CommandRunner::run(const std::vector<std::string>& argv, Clock& clock,
                                       const std::function<void()>& started) {
  assert(!argv.empty());
  CommandExit exit{.begin = clock.now()};
  pid_t child = -1;
  const int error = spawn_or_interpret(child, argv, signals_->before);
  if (error != 0) return spawn_error(error, argv[0]);
  if (started) started();
  exit.asked_to_end = signals_->forward_what_came_early(child);

  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) {
      exit.end = clock.now();
      exit.code = exit_code_of(status);
      exit.asked_to_end = signals_->keep_what_is_for_us() || exit.asked_to_end;
      return exit;
    }
    if (ended < 0 && errno != EINTR) {
      return Unexpected(Errc::io, fmt::format("waiting for {}: {}", argv[0], std::strerror(errno)));
    }
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals_->handled, &info);
    exit.asked_to_end = exit.asked_to_end || asks_to_end(signal);
    if (signal > 0 && signal != SIGCHLD && !Signals::has_reached(child, info)) kill(child, signal);
  }
}

}  // namespace truewatt::capture
