#include "truewatt/replication/yang/yang_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace truewatt::replication::yang {
namespace {

constexpr double kWavePeriod = 0.1;

std::vector<identification::Work> square_wave(double period, double length) {
  std::vector<identification::Work> wave;
  const int cycles = static_cast<int>(length / period);
  for (int i = 0; i < cycles; ++i) wave.push_back({i * period, (i + 0.5) * period});
  return wave;
}

/// Mean of the wave over [end - window, end] by its definition, stretch by stretch.
double mean_of(const std::vector<identification::Work>& wave, double window, double end) {
  double worked = 0.0;
  for (const identification::Work& stretch : wave) {
    worked += std::max(0.0, std::min(stretch.end, end) - std::max(stretch.begin, end - window));
  }
  return worked / window;
}

std::vector<ticks::Tick> boxcar_readings(const std::vector<identification::Work>& wave,
                                         double window, double delay) {
  std::vector<ticks::Tick> readings;
  for (int k = 0; k < 69; ++k) {
    const double time = 1.03 + k * kWavePeriod;
    readings.push_back({time, 0.0, 60.0 + 200.0 * mean_of(wave, window, time - delay)});
  }
  return readings;
}

TEST(YangWindow, FindsTheWindowOfNoiseFreeReadings) {
  // The half periods of the artifact's run on an A100.
  for (const double half : {0.068, 0.076, 0.081, 0.122, 0.127, 0.136}) {
    const auto wave = square_wave(2 * half, kRunLength);
    for (const double window : {0.010, 0.025, 0.060}) {
      const auto readings = boxcar_readings(wave, window, 0.003);
      const auto fit = fit_window({readings, wave}, kWavePeriod);
      ASSERT_TRUE(fit);
      EXPECT_TRUE(fit->converged);
      EXPECT_LT(window_loss({readings, wave}, window, 0.003), 1e-20);
      EXPECT_NEAR(fit->window, window, 5e-4) << half;
      EXPECT_NEAR(fit->delay, 0.003, 5e-4) << half;
    }
  }
}

TEST(YangWindow, ShapeAloneCannotTellAWindowFromOneThatIsALoadPeriodLonger) {
  // W and W + k periods differ by the mean of whole periods, which z-scoring takes away.
  const auto wave = square_wave(0.152, kRunLength);
  const auto readings = boxcar_readings(wave, 0.025, 0.003);
  EXPECT_LT(window_loss({readings, wave}, 0.025 + 0.152, 0.003), 1e-20);
  EXPECT_GT(window_loss({readings, wave}, 0.025 + 0.076, 0.003), 0.5);
}

TEST(YangWindow, LossCurveIsLowestAtTheWindow) {
  const auto wave = square_wave(0.152, kRunLength);
  const auto readings = boxcar_readings(wave, 0.025, 0.0);
  const auto curve = loss_curve({readings, wave}, kWavePeriod, 0.0);
  ASSERT_EQ(curve.size(), 55U);  // 1, 3, ..., 109 ms
  EXPECT_DOUBLE_EQ(curve.front().window, 0.001);
  EXPECT_NEAR(curve.back().window, 0.109, 1e-12);
  EXPECT_NEAR(*lowest(curve), 0.025, 1e-12);
  EXPECT_FALSE(lowest({}));
}

TEST(YangWindow, NegativeWindowsAndDelaysAreRefused) {
  const auto wave = square_wave(0.152, kRunLength);
  const auto readings = boxcar_readings(wave, 0.025, 0.0);
  EXPECT_EQ(window_loss({readings, wave}, -0.001, 0.0), 100.0);
  EXPECT_EQ(window_loss({readings, wave}, 0.001, -0.001), 100.0);
}

TEST(YangWindow, NothingFromFewOrConstantReadings) {
  const auto wave = square_wave(0.152, kRunLength);
  auto readings = boxcar_readings(wave, 0.025, 0.0);
  EXPECT_FALSE(fit_window({std::span(readings).first(4), wave}, kWavePeriod));
  for (ticks::Tick& reading : readings) reading.value = 160.0;
  EXPECT_FALSE(fit_window({readings, wave}, kWavePeriod));
}

TEST(YangWindow, WaveOfOneUpdatePeriodIsFlatThroughAWindowOfOnePeriod) {
  // Runs that begin at all phases, as random pauses between them make them.
  std::vector<double> complete;
  std::vector<double> quarter;
  for (int run = 0; run < 10; ++run) {
    const auto wave = square_wave(kWavePeriod, kRunLength);
    for (int k = 0; k < 10; ++k) {
      const double time = 1.0 + 0.01 * run + k * kWavePeriod;
      complete.push_back(200.0 * mean_of(wave, kWavePeriod, time));
      quarter.push_back(200.0 * mean_of(wave, kWavePeriod / 4, time));
    }
  }
  EXPECT_LT(*swing_share(complete, 200.0), 1e-9);
  EXPECT_NEAR(*swing_share(quarter, 200.0), 1.0, 1e-12);
  EXPECT_FALSE(swing_share({1.0, 2.0}, 200.0));
}

}  // namespace
}  // namespace truewatt::replication::yang
