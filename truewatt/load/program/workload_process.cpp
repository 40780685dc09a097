#include "truewatt/load/program/workload_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

extern char** environ;

namespace truewatt::load {
namespace {

using namespace std::chrono_literals;

/// A request to stop is noticed after so long at the latest.
constexpr std::chrono::milliseconds kLook = 100ms;
/// A program that was told to quit may take so long.
constexpr auto kFarewell = 5s;
/// A line longer than this is no answer.
constexpr std::size_t kLongestLine = 65536;

struct Pipe {
  int read = -1;
  int write = -1;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{ends[0], ends[1]};
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

/// The answer's text after its verb; nothing for another verb.
std::optional<std::string_view> after(std::string_view line, std::string_view verb) {
  if (line.substr(0, verb.size()) != verb) return std::nullopt;
  line.remove_prefix(verb.size());
  if (!line.empty() && line.front() != ' ') return std::nullopt;
  return line.empty() ? line : line.substr(1);
}

std::optional<HostTime> stamp_in(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::int64_t ns = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), ns);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return HostTime(Nanoseconds(ns));
}

Error error_of_start(int number, const std::string& program) {
  const Errc code = number == EACCES ? Errc::permission : Errc::unavailable;
  return {code, fmt::format("{} cannot be started: {}", program, std::strerror(number))};
}

}  // namespace

Result<WorkloadProcess> WorkloadProcess::start(const std::vector<std::string>& argv,
                                               const std::filesystem::path& folder, Clock& clock,
                                               Seconds patience, const std::stop_token& stop) {
  WorkloadProcess process(argv.front(), clock);
  auto input = make_pipe();
  auto output = make_pipe();
  if (!input || !output) return Unexpected(Error{Errc::io, "no pipe could be made"});
  process.to_ = input->write;
  process.from_ = output->read;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_adddup2(&actions, input->read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output->write, STDOUT_FILENO);
  std::vector<std::string> words = argv;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int failed =
      posix_spawnp(&process.child_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close_if_open(input->read);
  close_if_open(output->write);
  if (failed != 0) {
    process.child_ = -1;
    return Unexpected(error_of_start(failed, argv.front()));
  }
  auto said = process.answer(patience, stop);
  if (!said) return Unexpected(said.error());
  if (!after(*said, "ready")) {
    const auto why = after(*said, "error");
    return Unexpected(
        Error{Errc::unavailable, fmt::format("{} says: {}", argv.front(), why ? *why : *said)});
  }
  return process;
}

WorkloadProcess::WorkloadProcess(WorkloadProcess&& other) noexcept
    : name_(std::move(other.name_)),
      clock_(other.clock_),
      child_(std::exchange(other.child_, -1)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)),
      read_(std::move(other.read_)) {}

WorkloadProcess::~WorkloadProcess() {
  close_if_open(to_);  // the end of its input tells it to quit
  close_if_open(from_);
  if (child_ < 0) return;
  const HostTime patience = clock_->now() + kFarewell;
  while (waitpid(child_, nullptr, WNOHANG) == 0) {
    if (clock_->now() > patience) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
      return;
    }
    clock_->sleep_until(clock_->now() + kLook / 10);
  }
}

Result<HostSpan> WorkloadProcess::run(long long iterations, Seconds patience,
                                      const std::stop_token& stop) {
  const std::string line = fmt::format("run {}\n", iterations);
  // A program that has ended must not end us: its pipe then answers EPIPE.
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const bool told = write(to_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!told && errno == EPIPE) {
    const timespec none{};
    sigtimedwait(&pipe_signal, nullptr, &none);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  auto said = answer(patience, stop);
  if (!said) return Unexpected(said.error());
  if (auto stamps = after(*said, "done")) {
    const auto begin = stamp_in(*stamps);
    const auto end = stamp_in(*stamps);
    if (begin && end && *begin < *end) return HostSpan{*begin, *end};
  }
  const auto why = after(*said, "error");
  return Unexpected(
      Error{Errc::device, fmt::format("{} says: {}", name_, why ? *why : std::string_view(*said))});
}

Result<std::string> WorkloadProcess::answer(Seconds patience, const std::stop_token& stop) {
  const HostTime until = clock_->now() + to_nanoseconds(patience);
  for (;;) {
    const auto end = read_.find('\n');
    if (end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    if (stop.stop_requested())
      return Unexpected(Error{Errc::timed_out, name_ + " was interrupted"});
    if (clock_->now() > until || read_.size() > kLongestLine) {
      return Unexpected(Error{
          Errc::timed_out, fmt::format("{} gave no answer in {:.0f} s", name_, patience.count())});
    }
    pollfd look{.fd = from_, .events = POLLIN, .revents = 0};
    if (poll(&look, 1, static_cast<int>(kLook.count())) <= 0) continue;
    std::array<char, 4096> bytes{};
    const ssize_t count = read(from_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Unexpected(Error{Errc::device, name_ + " ended without an answer"});
    read_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace truewatt::load
