#include "truewatt/capture/alarm.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace truewatt::capture {
namespace {

constexpr Nanoseconds kWithoutEvent = std::chrono::milliseconds(20);

}  // namespace

Alarm::Alarm() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Alarm::~Alarm() {
  if (event_ >= 0) close(event_);
}

void Alarm::sleep_until(HostTime until, const Clock& clock) {
  Nanoseconds left = std::max(until - clock.now(), Nanoseconds(0));
  if (event_ < 0) left = std::min(left, kWithoutEvent);
  const timespec timeout{.tv_sec = static_cast<time_t>(left.count() / 1'000'000'000),
                         .tv_nsec = static_cast<long>(left.count() % 1'000'000'000)};
  pollfd waiting{.fd = event_, .events = POLLIN, .revents = 0};
  if (ppoll(&waiting, event_ >= 0 ? 1 : 0, &timeout, nullptr) <= 0) return;
  std::uint64_t rings = 0;
  [[maybe_unused]] const auto size = read(event_, &rings, sizeof(rings));
}

void Alarm::ring() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = write(event_, &one, sizeof(one));
}

}  // namespace truewatt::capture
