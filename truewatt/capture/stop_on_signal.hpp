#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace truewatt::capture {

/// Turns the first SIGINT or SIGTERM into a request to stop, so that what was measured so far is
/// written; the second one kills as usual, and so does the first where the system gives us neither
/// thread nor descriptor. Construct before other threads start; one at a time. Its end gives the
/// calling thread the mask back that it had.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  std::stop_token token() const { return source_.get_token(); }

 private:
  void wait();

  sigset_t before_{};
  std::stop_source source_;
  int signals_;  // a signalfd
  int ended_;    // an eventfd: nobody waits for signals any more
  std::jthread waiter_;
};

}  // namespace truewatt::capture
