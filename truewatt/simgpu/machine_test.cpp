#include "truewatt/simgpu/machine.hpp"

#include <gtest/gtest.h>

namespace truewatt::simgpu {
namespace {

TEST(Machine, OneSpinningThreadDrawsWhatSpinningDrawsAndNoMore) {
  DeviceDescription device;
  device.board.idle = Watts(80);
  device.board.max = Watts(600);
  device.machine.spin = Watts(60);
  const MachineLoad spinning{.threads = 132, .multiprocessors = 132};
  EXPECT_EQ(run_on(device, spinning).above_idle, Watts(60));
  const MachineLoad empty_loop{.threads = 132 * 1024, .multiprocessors = 132};
  EXPECT_GT(run_on(device, empty_loop).above_idle, Watts(70));
  device.machine.spin = Watts(0);
  EXPECT_GT(run_on(device, spinning).above_idle, Watts(0)) << "runs none the less";
}

}  // namespace
}  // namespace truewatt::simgpu
