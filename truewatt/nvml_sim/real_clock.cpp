#include "truewatt/nvml_sim/real_clock.hpp"

#include <cerrno>
#include <ctime>

namespace truewatt::nvml_sim {
namespace {

Nanoseconds read(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

class RealClock final : public Clock {
 public:
  HostTime now() const override { return HostTime(read(CLOCK_MONOTONIC)); }
  DriverTime realtime_now() const override { return DriverTime(read(CLOCK_REALTIME)); }
  void sleep_until(HostTime until) override {
    if (until <= now()) return;  // the kernel would still take its timer slack of 50 us
    const auto since_boot = until.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    const timespec time{static_cast<time_t>(seconds.count()),
                        static_cast<long>((since_boot - seconds).count())};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
    }
  }
  bool is_virtual() const override { return false; }
};

}  // namespace

std::shared_ptr<Clock> real_clock() { return std::make_shared<RealClock>(); }

}  // namespace truewatt::nvml_sim
