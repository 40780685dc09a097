#include "truewatt/nvml_sim/background_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::nvml_sim {
namespace {

using ::testing::HasSubstr;

/// A board without rise, noise or sensors: its true power is its level.
simgpu::SimulatedGpu plain_board() {
  DeviceDescription device{};
  device.name = "plain";
  device.board = {};
  device.board.sleep = Watts(20);
  device.board.idle = Watts(50);
  device.board.max = Watts(250);
  device.board.noise = Watts(0);
  return {device, 1};
}

TEST(BackgroundLoadText, TakesAnySubsetOfKeysInAnyOrder) {
  const auto load = parse_background_load("duty=0.25,level=0.5,period=0.2");
  ASSERT_TRUE(load.has_value());
  EXPECT_EQ(load->level, 0.5);
  EXPECT_EQ(load->period, Seconds(0.2));
  EXPECT_EQ(load->duty, 0.25);
  EXPECT_EQ(parse_background_load("level=0")->period, Seconds(0));
}

TEST(BackgroundLoadText, RefusesWhatMakesNoSenseAndNamesIt) {
  for (const auto* text : {"", "level", "level=", "level=2", "level=-0.1", "level=nan", "duty=0",
                           "duty=1", "period=0", "period=1s", "power=3", "level=1,"}) {
    const auto load = parse_background_load(text);
    ASSERT_FALSE(load.has_value()) << text;
    EXPECT_EQ(load.error().code, Errc::invalid_argument);
    EXPECT_THAT(load.error().message, HasSubstr("level=0..1"));
  }
  EXPECT_THAT(parse_background_load("level=1,duty=7").error().message, HasSubstr("'duty=7'"));
}

TEST(BackgroundPlayer, WithoutALoadTheBoardSleeps) {
  auto gpu = plain_board();
  BackgroundPlayer(std::nullopt).play_ahead(gpu, 1.0);
  EXPECT_EQ(gpu.true_power(1.0), 20.0);
}

TEST(BackgroundPlayer, AConstantLoadNeverEnds) {
  auto gpu = plain_board();
  BackgroundPlayer player(BackgroundLoad{.level = 0.5});
  for (const double t : {0.0, 1.0, 1e6}) {
    player.play_ahead(gpu, t);
    EXPECT_EQ(gpu.true_power(t), 150.0) << t;
  }
}

TEST(BackgroundPlayer, LevelZeroIsAnIdleContext) {
  auto gpu = plain_board();
  BackgroundPlayer(BackgroundLoad{.level = 0.0}).play_ahead(gpu, 0.0);
  EXPECT_EQ(gpu.true_power(5.0), 50.0);
}

TEST(BackgroundPlayer, ASquareWaveKeepsItsPhaseAcrossStretches) {
  auto gpu = plain_board();
  BackgroundPlayer player(BackgroundLoad{.level = 1.0, .period = Seconds(0.3), .duty = 0.5});
  // Polled far past the first stretches, in steps that are no multiple of the period.
  for (double t = 0.0; t < 400.0; t += 0.77) {
    player.play_ahead(gpu, t);
    const double phase = std::fmod(t, 0.3) / 0.3;
    if (std::abs(phase - 0.5) < 1e-6 || phase < 1e-6 || phase > 1 - 1e-6) continue;  // on an edge
    EXPECT_EQ(gpu.true_power(t), phase < 0.5 ? 250.0 : 50.0) << t;
  }
}

TEST(BackgroundPlayer, TimeInWhichNobodyAskedIsPlayedToo) {
  auto gpu = plain_board();
  BackgroundPlayer player(BackgroundLoad{.level = 1.0, .period = Seconds(0.4), .duty = 0.5});
  player.play_ahead(gpu, 0.0);
  player.play_ahead(gpu, 1000.1);
  EXPECT_EQ(gpu.true_power(500.1), 250.0);
  EXPECT_EQ(gpu.true_power(1000.1), 250.0);
  EXPECT_EQ(gpu.true_power(1000.3), 50.0);
  // 500 periods of 0.2 s at 250 W and 0.2 s at 50 W; the sum of 1000 exact pieces rounds at most
  // 1000 times in the last of 16 digits.
  EXPECT_NEAR(gpu.true_energy(100.0, 300.0), 500 * 60.0, 1e-7);
}

}  // namespace
}  // namespace truewatt::nvml_sim
