#include "truewatt/capture/quiet_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace truewatt::capture {

Result<int> run_quietly(const std::vector<std::string>& argv, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kLook{20};
  std::vector<std::string> words = argv;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_RDWR, 0);
  }
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &streams, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  if (error != 0) {
    return Unexpected(
        error == ENOENT ? Errc::unavailable : Errc::io,
        fmt::format("{}: could not be started: {}", argv.front(), std::strerror(error)));
  }
  bool asked = false;
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) {
      return Unexpected(Errc::io, fmt::format("{}: {}", argv.front(), std::strerror(errno)));
    }
    if (stop.stop_requested() && !asked) {
      kill(child, SIGTERM);
      asked = true;
    }
    std::this_thread::sleep_for(kLook);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace truewatt::capture
