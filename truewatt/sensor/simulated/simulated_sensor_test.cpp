#include "truewatt/sensor/simulated/simulated_sensor.hpp"

#include <gtest/gtest.h>

#include "truewatt/simgpu/virtual_clock.hpp"

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;
constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};

SimulatedSensor h200(simgpu::VirtualClock& clock) {
  auto gpu = std::make_shared<simgpu::SimulatedGpu>(builtin_device("h200").value(), 1);
  return SimulatedSensor(std::move(gpu), clock, clock.now(), 0);
}

TEST(SimulatedSensor, CallsTakeTheirCostOnTheClock) {
  simgpu::VirtualClock clock;
  SimulatedSensor sensor = h200(clock);
  const HostTime before = clock.now();
  ASSERT_TRUE(sensor.read(kCounter));
  EXPECT_EQ(clock.now() - before, 2300us);
}

TEST(SimulatedSensor, DrainsTheRingWithoutLossOrRepeat) {
  simgpu::VirtualClock clock;
  SimulatedSensor sensor = h200(clock);
  std::vector<Reading> all;
  for (int i = 0; i < 20; ++i) {
    clock.sleep_until(clock.now() + 700ms);
    const auto since = all.empty() ? std::nullopt : all.back().stamp;
    const auto fresh = sensor.drain(since);
    ASSERT_TRUE(fresh);
    all.insert(all.end(), fresh->begin(), fresh->end());
  }
  // 119 entries in the first drain, most of them from before the start, then 13.3 s of 20 ms.
  EXPECT_NEAR(static_cast<double>(all.size()), 119 + 665, 1.0);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double gap = Seconds(*all[i].stamp - *all[i - 1].stamp).count();
    EXPECT_NEAR(gap, 0.020, 6 * 0.0006 * 1.5) << i;
  }
}

TEST(SimulatedSensor, SaysWhichSourcesAreDenied) {
  auto device = builtin_device("a100").value();
  device.faults.denied = {SourceKind::energy_counter};
  simgpu::VirtualClock clock;
  SimulatedSensor sensor(std::make_shared<simgpu::SimulatedGpu>(device, 1), clock, clock.now(), 0);
  for (const SourceStatus& status : sensor.sources()) {
    EXPECT_EQ(status.answers(), !counts_energy(status.source));
    if (!status.answers()) {
      EXPECT_EQ(status.refusal->code, Errc::permission);
    }
  }
}

}  // namespace
}  // namespace truewatt::sensor
