#include "truewatt/nvml_sim/simulated_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "truewatt/simgpu/virtual_clock.hpp"

namespace truewatt::nvml_sim {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kEnergy{SourceKind::energy_counter, Scope::gpu};

SensorDescription exact_sensor(SourceKind kind, Seconds period) {
  SensorDescription sensor{};
  sensor.source = {kind, Scope::gpu};
  sensor.model = {};
  sensor.model.update_period = period;
  sensor.phase = Seconds(0);
  return sensor;
}

/// A noiseless board that sleeps at 20 W, with exact sensors.
DeviceDescription plain_device() {
  DeviceDescription device{};
  device.name = "plain";
  device.uuid = "GPU-plain";
  device.board.noise = Watts(0);
  device.sensors = {exact_sensor(SourceKind::power_instant, 100ms),
                    exact_sensor(SourceKind::power_samples, 20ms),
                    exact_sensor(SourceKind::energy_counter, 100ms)};
  return device;
}

/// A device on a clock that only the test moves.
struct Bench {
  std::shared_ptr<simgpu::VirtualClock> clock = std::make_shared<simgpu::VirtualClock>();
  SimulatedDevice device;

  explicit Bench(DeviceDescription description = plain_device())
      : device(std::move(description), 1, std::nullopt, 3, clock) {}
  void wait(Nanoseconds time) { clock->sleep_until(clock->now() + time); }
};

TEST(SimulatedDevice, SaysThatItIsSimulated) {
  const Bench bench;
  EXPECT_EQ(bench.device.identity(), (DeviceIdentity{3, "truewatt simulated plain", "GPU-plain",
                                                     "00000000:13:00.0", "simulated"}));
}

TEST(SimulatedDevice, ReadsTheSensorsOfItsDescriptionAndNoOthers) {
  Bench bench;
  EXPECT_TRUE(bench.device.has(kInstant));
  bench.wait(1s);
  EXPECT_EQ(*bench.device.read(kInstant), 20.0);
  const SourceId average{SourceKind::power_average, Scope::gpu};
  EXPECT_FALSE(bench.device.has(average));
  EXPECT_EQ(bench.device.read(average).error().code, Errc::unsupported);
}

TEST(SimulatedDevice, CounterAdvancesByPowerTimesTimeOnTheClock) {
  Bench bench;
  bench.wait(50ms);
  const double before = *bench.device.read(kEnergy);
  bench.wait(2s);
  // Exactly 20 ticks of 100 ms at 20 W lie between; the values are rounded to 1 mJ.
  EXPECT_NEAR(*bench.device.read(kEnergy) - before, 40.0, 0.001 + 1e-9);
}

TEST(SimulatedDevice, CallsTakeAsLongAsTheDescriptionSays) {
  auto description = plain_device();
  description.sensors[0].call_cost = 2.5ms;
  description.faults.stalls = {{Seconds(1), Seconds(3)}};
  Bench bench(std::move(description));
  const auto begin = bench.clock->now();
  ASSERT_TRUE(bench.device.read(kInstant).has_value());
  EXPECT_EQ(bench.clock->now() - begin, 2500us);
  bench.wait(begin + 1s - bench.clock->now());
  ASSERT_TRUE(bench.device.read(kInstant).has_value());
  EXPECT_EQ(bench.clock->now() - begin, 4s + 2500us);
}

TEST(SimulatedDevice, RingStampsAreRealtimeOfTheTicks) {
  Bench bench;
  bench.wait(70ms);
  const auto entries = bench.device.ring(0);
  ASSERT_THAT(*entries, SizeIs(119)) << "ticks up to 60 ms, most of them before the start";
  const auto start = std::chrono::duration_cast<std::chrono::microseconds>(
      simgpu::VirtualClock::kRealtimeStart.time_since_epoch());
  EXPECT_EQ(entries->front().stamp_us,
            static_cast<std::uint64_t>((start + 60ms - 118 * 20ms).count()));
  EXPECT_EQ(entries->back().stamp_us, static_cast<std::uint64_t>((start + 60ms).count()));
}

TEST(SimulatedDevice, RingIsHandedOutWithoutLossOrRepeat) {
  Bench bench;
  std::vector<std::uint64_t> stamps;
  for (int poll = 0; poll < 300; ++poll) {
    bench.wait(7ms);
    const auto entries = bench.device.ring(stamps.empty() ? 0 : stamps.back());
    for (const auto& entry : *entries) stamps.push_back(entry.stamp_us);
  }
  ASSERT_THAT(stamps, SizeIs(119 + 105)) << "the whole ring, then 20 to 2100 ms";
  for (std::size_t i = 1; i < stamps.size(); ++i) EXPECT_EQ(stamps[i] - stamps[i - 1], 20'000U);
}

TEST(SimulatedDevice, RingForgetsWhatIsOlderThanItsSize) {
  auto description = plain_device();
  description.sensors[1].ring = 10;
  Bench bench(std::move(description));
  bench.wait(1s);
  EXPECT_THAT(*bench.device.ring(0), SizeIs(10));
  EXPECT_THAT(*bench.device.ring(std::numeric_limits<std::uint64_t>::max()), IsEmpty());
}

/// REALTIME that somebody sets.
class SteppedClock final : public simgpu::VirtualClock {
 public:
  DriverTime realtime_now() const override { return VirtualClock::realtime_now() + step; }
  Nanoseconds step{0};
};

TEST(SimulatedDevice, AStepOfRealtimeMovesNewStampsOnly) {
  const auto clock = std::make_shared<SteppedClock>();
  SimulatedDevice device(plain_device(), 1, std::nullopt, 0, clock);
  clock->sleep_until(clock->now() + 10ms);
  const auto first = device.ring(0)->back().stamp_us;
  clock->step = 1h;
  clock->sleep_until(clock->now() + 20ms);
  const auto entries = device.ring(0);
  EXPECT_EQ(std::prev(entries->end(), 2)->stamp_us, first);
  EXPECT_EQ(entries->back().stamp_us, first + 20'000 + 3'600'000'000);
}

TEST(SimulatedDevice, FaultsOfTheDescriptionAreItsAnswers) {
  auto description = plain_device();
  description.faults.denied = {SourceKind::power_samples};
  description.faults.gpu_lost = Seconds(1);
  Bench bench(std::move(description));
  EXPECT_EQ(bench.device.ring(0).error().code, Errc::permission);
  EXPECT_TRUE(bench.device.state().has_value());
  bench.wait(1s);
  EXPECT_EQ(bench.device.read(kInstant).error().code, Errc::device);
  EXPECT_EQ(bench.device.state().error().code, Errc::device);
}

TEST(SimulatedDevice, RunsItsBackgroundLoad) {
  const auto clock = std::make_shared<simgpu::VirtualClock>();
  const BackgroundLoad load{.level = 1.0};
  SimulatedDevice device(plain_device(), 1, load, 0, clock);
  clock->sleep_until(clock->now() + 1s);
  EXPECT_EQ(*device.read(kInstant), device.description().board.max.value());
  EXPECT_EQ(device.state()->utilization_percent, 100.0);
}

}  // namespace
}  // namespace truewatt::nvml_sim
