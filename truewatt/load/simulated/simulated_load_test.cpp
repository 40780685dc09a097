#include "truewatt/load/simulated/simulated_load.hpp"

#include <gtest/gtest.h>

namespace truewatt::load {
namespace {

using namespace std::chrono_literals;

TEST(SimulatedLoad, DrawsWhatItsScheduleSays) {
  auto device = builtin_device("a100").value();
  device.board.noise = Watts(0);
  auto gpu = std::make_shared<simgpu::SimulatedGpu>(device, 1);
  const HostTime origin(100s);
  SimulatedLoad load(gpu, origin);
  const Schedule schedule{
      .steps = {{Seconds(0), 1.0}, {Seconds(0.5), 0.0}}, .duration = Seconds(1.0), .spec = "x"};
  ASSERT_TRUE(load.prepare(schedule));
  const auto execution = load.play(schedule, origin + 3s, {});
  ASSERT_TRUE(execution);
  EXPECT_EQ(execution->begin, origin + 3s);
  EXPECT_EQ(execution->end, origin + 4s);
  ASSERT_EQ(execution->activity.size(), 1U);
  EXPECT_EQ(execution->activity[0].end, origin + 3500ms);
  // 200 W for half a second, 57 W idle for the other half.
  EXPECT_NEAR(gpu->true_energy(3.0, 4.0), 0.5 * 200 + 0.5 * 57, 1e-6);
}

TEST(SimulatedLoad, InMigModeWorksOnOneInstance) {
  auto device = builtin_device("a100").value();
  device.board.noise = Watts(0);
  device.mig = MigDescription{.share = 0.25};
  auto gpu = std::make_shared<simgpu::SimulatedGpu>(device, 1);
  const HostTime origin(100s);
  SimulatedLoad load(gpu, origin);
  EXPECT_TRUE(load.slice().value_or("").starts_with("instance MIG-"));
  const Schedule schedule{.steps = {{Seconds(0), 1.0}}, .duration = Seconds(1.0), .spec = "x"};
  ASSERT_TRUE(load.prepare(schedule));
  const auto execution = load.play(schedule, origin + 3s, {});
  ASSERT_TRUE(execution);
  EXPECT_EQ(execution->activity[0].kind, WorkKind{.level = 1.0}) << "of the instance";
  EXPECT_NEAR(gpu->true_power(3.5), 57 + 0.25 * (200 - 57), 1e-6);
  device.mig->share = 0;
  SimulatedLoad none(std::make_shared<simgpu::SimulatedGpu>(device, 1), origin);
  EXPECT_EQ(none.prepare(schedule).error().code, Errc::unavailable);
}

TEST(SimulatedLoad, OnTheCpuLeavesTheGpuAlone) {
  auto gpu = std::make_shared<simgpu::SimulatedGpu>(builtin_device("gh200").value(), 1);
  const HostTime origin(100s);
  SimulatedLoad load(gpu, origin, WorkKind::Part::cpu);
  const Schedule schedule{.steps = {{Seconds(0), 0.5}}, .duration = Seconds(2.0), .spec = "x"};
  const auto execution = load.play(schedule, origin + 3s, {});
  ASSERT_TRUE(execution);
  ASSERT_EQ(execution->activity.size(), 1U);
  EXPECT_EQ(execution->activity[0].kind, (WorkKind{.part = WorkKind::Part::cpu, .level = 0.5}));
  // 80 W idle CPU, half of 220 W.
  EXPECT_NEAR(gpu->read({SourceKind::power_instant, Scope::cpu}, 4.0)->value, 190, 1);
  EXPECT_NEAR(gpu->true_power(4.0), 70, 1);
}

}  // namespace
}  // namespace truewatt::load
