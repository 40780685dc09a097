#include "truewatt/nvml_sim/simulated_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace truewatt::nvml_sim {
namespace {

constexpr double kEver = -std::numeric_limits<double>::infinity();
/// More than any ring holds, so that an entry is never stamped twice.
constexpr std::size_t kStampsKept = 100'000;
/// Boards sit on consecutive buses from here on.
constexpr int kFirstBus = 0x10;

std::uint64_t microseconds(DriverTime time) {
  return static_cast<std::uint64_t>(
      std::chrono::round<std::chrono::microseconds>(time.time_since_epoch()).count());
}

}  // namespace

DeviceIdentity identity_of(const DeviceDescription& description, int index) {
  return {index, "truewatt simulated " + description.name, description.uuid,
          fmt::format("{:08X}:{:02X}:00.0", 0, kFirstBus + index), "simulated"};
}

SimulatedDevice::SimulatedDevice(DeviceDescription description, std::uint64_t seed,
                                 std::optional<BackgroundLoad> load, int index,
                                 std::shared_ptr<Clock> clock)
    : clock_(std::move(clock)),
      origin_(clock_->now()),
      identity_(identity_of(description, index)),
      mig_(mig_mode(description)),
      gpu_(std::move(description), seed),
      player_(load) {}

bool SimulatedDevice::has(SourceId source) const {
  return std::ranges::any_of(description().sensors, [source](const SensorDescription& sensor) {
    return sensor.source == source;
  });
}

double SimulatedDevice::seconds_since_start() {
  const double t = seconds_between(origin_, clock_->now());
  player_.play_ahead(gpu_, t);
  return t;
}

Result<double> SimulatedDevice::read(SourceId source) {
  const std::scoped_lock lock(mutex_);
  const double t = seconds_since_start();
  const auto answer = gpu_.read(source, t);
  if (!answer) return Unexpected(answer.error());
  clock_->sleep_until(origin_ + to_nanoseconds(Seconds(t + answer->cost_s)));
  return answer->value;
}

Result<std::vector<SimulatedDevice::Entry>> SimulatedDevice::ring(std::uint64_t since_us) {
  const std::scoped_lock lock(mutex_);
  const double t = seconds_since_start();
  const auto ring = gpu_.samples(newest_stamp_until(since_us), t);
  if (!ring) return Unexpected(ring.error());
  clock_->sleep_until(origin_ + to_nanoseconds(Seconds(t + ring->cost_s)));
  std::vector<Entry> entries;
  for (const auto& entry : ring->entries) {
    const auto stamp = stamp_us(entry.stamp);
    if (stamp > since_us) entries.push_back({stamp, entry.value});
  }
  while (stamps_.size() > kStampsKept) stamps_.erase(stamps_.begin());
  return entries;
}

double SimulatedDevice::newest_stamp_until(std::uint64_t since_us) const {
  const auto known = std::find_if(stamps_.rbegin(), stamps_.rend(), [since_us](const auto& entry) {
    return entry.second <= since_us;
  });
  return known == stamps_.rend() ? kEver : known->first;
}

/// An entry keeps the stamp it was first handed out with, whatever REALTIME does afterwards.
std::uint64_t SimulatedDevice::stamp_us(double stamp) {
  const auto known = stamps_.find(stamp);
  if (known != stamps_.end()) return known->second;
  const auto age = clock_->now() - (origin_ + to_nanoseconds(Seconds(stamp)));
  return stamps_[stamp] = microseconds(clock_->realtime_now() - age);
}

Result<simgpu::SimulatedGpu::State> SimulatedDevice::state() {
  const std::scoped_lock lock(mutex_);
  return gpu_.state(seconds_since_start());
}

std::uint64_t SimulatedDevice::realtime_us() const { return microseconds(clock_->realtime_now()); }

}  // namespace truewatt::nvml_sim
