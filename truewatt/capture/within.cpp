#include "truewatt/capture/within.hpp"

#include <atomic>

namespace truewatt::capture {
namespace {

std::atomic<int> left_behind{0};

}  // namespace

void leave_behind(std::jthread thread) {
  ++left_behind;
  thread.detach();
}

int threads_left_behind() { return left_behind; }

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace truewatt::capture
