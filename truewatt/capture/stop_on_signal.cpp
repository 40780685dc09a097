#include "truewatt/capture/stop_on_signal.hpp"

#include <csignal>
#include <ctime>

namespace truewatt::capture {
namespace {

sigset_t stopping_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopOnSignal::StopOnSignal() {
  const sigset_t set = stopping_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::jthread([this, set](const std::stop_token& ended) {
    const timespec patience{.tv_sec = 0, .tv_nsec = 50'000'000};
    while (!ended.stop_requested()) {
      if (sigtimedwait(&set, nullptr, &patience) < 0) continue;
      source_.request_stop();
      // A second one means it; this thread is the only one that it can reach.
      pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
      sigset_t none;
      sigemptyset(&none);
      while (!ended.stop_requested()) sigtimedwait(&none, nullptr, &patience);
      return;
    }
  });
}

StopOnSignal::~StopOnSignal() {
  waiter_.request_stop();
  waiter_.join();
  const sigset_t set = stopping_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace truewatt::capture
