#pragma once

#include <csignal>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "truewatt/base/time.hpp"

namespace truewatt::capture {

/// How long a call of a driver may take before we go on without it.
inline constexpr Nanoseconds kCallPatience = std::chrono::milliseconds(2500);

/// Detaches a thread that is stuck in a call that does not return. What the thread uses must live
/// as long as the process.
void leave_behind(std::jthread thread);

/// How many threads of this process were left behind. A process that has some is ended by _exit:
/// the thread may hold the loader's lock, for which exit() would wait.
int threads_left_behind();

/// While it lives, threads that are started leave every signal to those that are there.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// What `call` returns, or nothing when it has not returned after `patience`; then its thread is
/// left behind, and what it uses must be its own. It runs on a thread of its own, which no signal
/// reaches; on this one, without a limit, where the system gives us no thread.
template <class Call>
auto within(Nanoseconds patience, Call call) -> std::optional<std::invoke_result_t<Call&>> {
  auto answer = std::make_shared<std::promise<std::invoke_result_t<Call&>>>();
  auto shared = std::make_shared<Call>(std::move(call));
  std::jthread thread;
  try {
    const SignalsBlocked blocked;
    thread = std::jthread([answer, shared] {
      try {
        answer->set_value((*shared)());
      } catch (...) {
        answer->set_exception(std::current_exception());
      }
    });
  } catch (const std::system_error&) {
    return (*shared)();
  }
  auto future = answer->get_future();
  if (future.wait_for(patience) == std::future_status::ready) return future.get();
  leave_behind(std::move(thread));
  return std::nullopt;
}

}  // namespace truewatt::capture
