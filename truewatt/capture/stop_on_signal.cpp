#include "truewatt/capture/stop_on_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <span>
#include <system_error>

namespace truewatt::capture {
namespace {

sigset_t stopping_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

const sigset_t kStopping = stopping_signals();

void unblock() { pthread_sigmask(SIG_UNBLOCK, &kStopping, nullptr); }

/// Waits until one of the descriptors can be read; true when it is the first.
bool first_is_ready(std::span<pollfd> descriptors) {
  while (poll(descriptors.data(), descriptors.size(), -1) < 0 && errno == EINTR) {
  }
  return (descriptors.front().revents & POLLIN) != 0;
}

}  // namespace

StopOnSignal::StopOnSignal()
    : signals_(signalfd(-1, &kStopping, SFD_CLOEXEC | SFD_NONBLOCK)),
      ended_(eventfd(0, EFD_CLOEXEC)) {
  pthread_sigmask(SIG_BLOCK, &kStopping, &before_);
  try {
    if (signals_ >= 0 && ended_ >= 0) waiter_ = std::jthread([this] { wait(); });
  } catch (const std::system_error&) {
  }
  if (!waiter_.joinable()) unblock();
}

void StopOnSignal::wait() {
  std::array<pollfd, 2> both = {{{.fd = signals_, .events = POLLIN, .revents = 0},
                                 {.fd = ended_, .events = POLLIN, .revents = 0}}};
  if (!first_is_ready(both)) return;
  signalfd_siginfo taken{};
  [[maybe_unused]] const auto size = read(signals_, &taken, sizeof(taken));
  source_.request_stop();
  // A second one means it; this thread is the only one that it can reach.
  unblock();
  first_is_ready(std::span(both).last(1));
}

StopOnSignal::~StopOnSignal() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = write(ended_, &one, sizeof(one));
  if (waiter_.joinable()) waiter_.join();
  if (signals_ >= 0) close(signals_);
  if (ended_ >= 0) close(ended_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace truewatt::capture
