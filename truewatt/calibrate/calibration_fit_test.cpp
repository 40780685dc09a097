#include "truewatt/calibrate/calibration_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::calibrate {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr double kGain = 0.95;
constexpr double kOffset = -3.0;

struct Board {
  double power_sd = 0.0;   ///< of a repetition's own power, which both see
  double sensor_sd = 0.0;  ///< of a mean of the sensor
  double meter_sd = 0.0;
  double curvature_w = 0.0;  ///< of the sensor, at half the range
  MeterAccuracy accuracy;
};

/// The protocol of Yang 2024, Fig. 8: idle and six levels, eight repetitions.
std::vector<MeteredLevel> protocol(const Board& board, unsigned seed, int repetitions = 8) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> within(-1.0, 1.0);
  const double scale = 1.0 + board.accuracy.scale * within(random);
  const double zero = board.accuracy.zero_w * within(random);
  std::vector<MeteredLevel> levels;
  for (int i = 0; i < repetitions; ++i) {
    for (const double share : {0.0, 0.03, 0.2, 0.4, 0.6, 0.8, 1.0}) {
      const double power = 60.0 + 340.0 * share + board.power_sd * normal(random);
      const double curve = board.curvature_w * 4.0 * share * (1.0 - share);
      levels.push_back({{kGain * power + kOffset + curve + board.sensor_sd * normal(random),
                         scale * power + zero + board.meter_sd * normal(random)}});
    }
  }
  return levels;
}

bool holds(const Interval& interval, double truth) {
  return interval.lower <= truth && truth <= interval.upper;
}

TEST(Calibration, FindsGainAndOffsetInCleanData) {
  const auto fit = fit_calibration(protocol({}, 1), {}).value();
  EXPECT_NEAR(fit.gain.value, kGain, 1e-12);
  EXPECT_NEAR(fit.offset_w.value, kOffset, 1e-9);
  EXPECT_NEAR(fit.gain.upper - fit.gain.lower, 0.0, 1e-9);
  EXPECT_NEAR(fit.r_squared.value(), 1.0, 1e-12);
  EXPECT_THAT(fit.reasons, IsEmpty());
  EXPECT_EQ(fit.levels.size(), 56U);
}

TEST(Calibration, AMetersAccuracyIsInTheGainAndItsZeroInTheOffset) {
  // Bounds of an error that may lie anywhere within: 1/sqrt(3) of them is its standard deviation.
  const auto fit = fit_calibration(protocol({}, 1), {.scale = 0.01, .zero_w = 0.6}).value();
  EXPECT_NEAR(fit.gain.upper - fit.gain.value, 1.96 * kGain * 0.01 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(fit.offset_w.upper - fit.offset_w.value, 1.96 * kGain * 0.6 / std::sqrt(3.0), 1e-4);
  EXPECT_THAT(fit.terms, Contains(Field(&CalibrationTerm::name, "meter_scale")));
}

TEST(Calibration, PmdAccuracyIsThatOfVoltageAndCurrentInSquares) {
  EXPECT_NEAR(kPmdAccuracy.scale, std::hypot(0.005, 0.01), 1e-6);
  EXPECT_NEAR(kPmdAccuracy.zero_w, std::sqrt(4.0) * 0.5 * 0.0488 * 12.0, 0.01);
}

TEST(Calibration, ThePowerThatBothSeeIsNoError) {
  const auto fit = fit_calibration(protocol({.power_sd = 4.0}, 1), {}).value();
  EXPECT_NEAR(fit.gain.upper - fit.gain.lower, 0.0, 1e-9);
}

TEST(Calibration, TwoPointsDetermineALineAndNotItsScatter) {
  const std::vector<MeteredLevel> points{{{97.0, 100.0}}, {{287.0, 300.0}}};
  const auto fit = fit_calibration(points, {}).value();
  EXPECT_NEAR(fit.gain.value, 0.95, 1e-12);
  EXPECT_NEAR(fit.offset_w.value, 2.0, 1e-9);
  EXPECT_FALSE(fit.r_squared);
  EXPECT_THAT(fit.reasons, ElementsAre(CalibrationReason::no_repetitions,
                                       CalibrationReason::linearity_not_tested));
  // Each point 0.5 % of the sensor's range off: sqrt(2) 0.005 of the gain.
  EXPECT_NEAR(fit.gain.upper - fit.gain.value, 1.96 * std::sqrt(2.0) * 0.005 * 0.95, 1e-4);
  // At the mean of 200 W the line is known to 0.95 W/sqrt(2), at 0 the gain adds 200 W of its own.
  const double at_zero = std::hypot(0.95 / std::sqrt(2.0), 200 * std::sqrt(2.0) * 0.005 * 0.95);
  EXPECT_NEAR(fit.offset_w.upper - fit.offset_w.value, 1.96 * at_zero, 1e-3);
}

TEST(Calibration, ScatterWithinTwoPointsWidensTheirLine) {
  const std::vector<MeteredLevel> points{{{97.0, 100.0}, 3.0}, {{287.0, 300.0}, 3.0}};
  const auto fit = fit_calibration(points, {}).value();
  EXPECT_THAT(fit.terms, Contains(Field(&CalibrationTerm::gain,
                                        DoubleNear(std::sqrt(2.0) * 3.0 / 200.0, 1e-9))));
}

TEST(Calibration, ACurvedSensorIsSaidToBeOne) {
  const Board bent{.sensor_sd = 0.3, .meter_sd = 0.3, .curvature_w = 3.0};
  const auto fit = fit_calibration(protocol(bent, 1), {}).value();
  EXPECT_THAT(fit.reasons, ElementsAre(CalibrationReason::not_linear));
  Board straight = bent;
  straight.curvature_w = 0.0;
  const auto other = fit_calibration(protocol(straight, 1), {}).value();
  EXPECT_THAT(other.reasons, IsEmpty());
  const auto width = [](const Interval& i) { return i.upper - i.lower; };
  EXPECT_GT(width(fit.gain), 5 * width(other.gain));
}

TEST(Calibration, SaysWhenTheLevelsDoNotTell) {
  EXPECT_EQ(fit_calibration({}, {}).error().code, Errc::insufficient_data);
  const std::vector<MeteredLevel> same{{{95.0, 100.0}}, {{95.0, 100.0}}};
  EXPECT_EQ(fit_calibration(same, {}).error().code, Errc::ill_conditioned);
  const std::vector<MeteredLevel> close{{{95.0, 100.0}, 1.0}, {{96.0, 101.0}, 1.0}};
  EXPECT_EQ(fit_calibration(close, {}).error().code, Errc::ill_conditioned);
  const std::vector<MeteredLevel> falling{{{95.0, 100.0}}, {{50.0, 200.0}}};
  EXPECT_EQ(fit_calibration(falling, {}).error().code, Errc::ill_conditioned);
}

struct Coverage {
  int gain = 0;
  int offset = 0;
};

Coverage coverage(const Board& board, int seeds, int repetitions) {
  Coverage held;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto fit =
        fit_calibration(protocol(board, static_cast<unsigned>(seed), repetitions), board.accuracy)
            .value();
    held.gain += holds(fit.gain, kGain) ? 1 : 0;
    held.offset += holds(fit.offset_w, kOffset) ? 1 : 0;
  }
  return held;
}

// 95 % of 1000 seeds, and three standard deviations of such a count, 3 sqrt(1000 0.95 0.05) = 21.
// A rectangular error is held more often than a normal one of the same standard deviation, always
// where it is all there is; so the upper bound is for scatter alone.
TEST(Calibration, IntervalsHoldTheTruthAtTheirRate) {
  for (const int repetitions : {1, 2, 8}) {
    const Coverage held =
        coverage({.power_sd = 3.0, .sensor_sd = 0.5, .meter_sd = 0.5}, 1000, repetitions);
    EXPECT_NEAR(held.gain, 950, 25) << repetitions;
    EXPECT_NEAR(held.offset, 950, 25) << repetitions;
  }
}

TEST(Calibration, IntervalsHoldTheTruthWithAMeterThatIsOff) {
  const Coverage held = coverage(
      {.power_sd = 3.0, .sensor_sd = 0.5, .meter_sd = 0.5, .accuracy = kPmdAccuracy}, 1000, 8);
  EXPECT_GE(held.gain, 929);
  EXPECT_GE(held.offset, 929);
}

}  // namespace
}  // namespace truewatt::calibrate
