#include "truewatt/simgpu/module_power.hpp"

#include <gtest/gtest.h>

namespace truewatt::simgpu {
namespace {

BoardDescription superchip() {
  BoardDescription board;
  board.idle = Watts(100);
  board.max = Watts(500);
  board.overshoot = 0.2;
  board.overshoot_time_constant = Seconds(0.1);
  board.cpu_idle = Watts(80);
  board.cpu_max = Watts(300);
  return board;
}

TEST(ModulePower, OfTheCpuFollowsItsLevels) {
  const PowerSignal cpu = cpu_power(superchip(), {{.steps = {{1.0, 1.0}, {2.0, 0.5}}, .end = 3.0}});
  EXPECT_EQ(cpu.value(0.5), 80);
  EXPECT_EQ(cpu.value(1.5), 300);
  EXPECT_EQ(cpu.value(2.5), 190);
  EXPECT_EQ(cpu.value(3.5), 80);
}

TEST(ModulePower, IsTheSumAtEveryMoment) {
  const BoardDescription board = superchip();
  const PowerSignal gpu = board_power(board, {{.steps = {{2.0, 1.0}, {2.7, 0.3}}, .end = 4.0}}, {});
  const PowerSignal cpu = cpu_power(board, {{.steps = {{2.35, 1.0}, {2.7, 0.0}}, .end = 4.5}});
  const PowerSignal module = module_power(gpu, cpu);
  for (int i = 0; i < 700; ++i) {
    const double t = 0.01 * i;
    EXPECT_NEAR(module.value(t), gpu.value(t) + cpu.value(t), 1e-9) << t;
    EXPECT_NEAR(module.integral(t), gpu.integral(t) + cpu.integral(t), 1e-8) << t;
  }
}

}  // namespace
}  // namespace truewatt::simgpu
