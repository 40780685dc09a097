#include "truewatt/replication/yang/yang_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace truewatt::replication::yang {
namespace {

constexpr double kBase = 60.0;
constexpr double kTop = 260.0;
const identification::Work kStep{2.0, 8.0};
constexpr double kUntil = 14.0;

/// Readings every `period` of a source whose answer to a unit step is `answer`, up and down.
std::vector<ticks::Tick> readings_of(double period, const std::function<double(double)>& up,
                                     const std::function<double(double)>& down) {
  std::vector<ticks::Tick> readings;
  for (int k = 0; k * period < kUntil; ++k) {
    const double t = k * period;
    const double share = t < kStep.begin ? 0.0
                         : t < kStep.end ? up(t - kStep.begin)
                                         : 1.0 - down(t - kStep.end);
    readings.push_back({t, 0.0, kBase + (kTop - kBase) * share});
  }
  return readings;
}

double at_once(double) { return 1.0; }
double ramp(double t) { return std::min(t, 1.0); }
double boxcar(double t) { return std::min(t / 0.1, 1.0); }
double charging(double t) { return 1.0 - std::exp(-t / 0.084); }
double board(double t) { return 1.0 - 0.6 * std::exp(-t / 0.15); }

TransientKind kind_of(const std::vector<ticks::Tick>& readings, double period) {
  return summarize_transient({{*step_response(readings, kStep, kUntil)}}, period)->kind;
}

TEST(YangStep, RiseOfARampIsEightTenthsOfIt) {
  const auto response = step_response(readings_of(0.001, ramp, ramp), kStep, kUntil);
  ASSERT_TRUE(response);
  // A reading every millisecond: a crossing is seen up to one late.
  EXPECT_NEAR(response->rise(), 0.8, 0.0011);
  EXPECT_NEAR(response->delay(), 0.5, 0.0011);
  EXPECT_NEAR(*response->fall, 0.8, 0.0011);
  EXPECT_DOUBLE_EQ(response->base_w, kBase);
  EXPECT_DOUBLE_EQ(response->top_w, kTop);
}

TEST(YangStep, RiseOfABoxcarIsEightTenthsOfItsWindow) {
  const auto response = step_response(readings_of(0.001, boxcar, boxcar), kStep, kUntil);
  ASSERT_TRUE(response);
  EXPECT_NEAR(response->rise(), 0.08, 0.0011);
  EXPECT_NEAR(response->delay(), 0.05, 0.0011);
}

TEST(YangStep, RiseOfAnExponentialIsLogNineTimeConstants) {
  const auto response = step_response(readings_of(0.001, charging, charging), kStep, kUntil);
  ASSERT_TRUE(response);
  EXPECT_NEAR(response->rise(), 0.084 * std::log(9.0), 0.0011);
  EXPECT_NEAR(response->delay(), 0.084 * std::log(2.0), 0.0011);
}

TEST(YangStep, KindsAreTold) {
  EXPECT_EQ(kind_of(readings_of(0.1, at_once, at_once), 0.1), TransientKind::instant);
  EXPECT_EQ(kind_of(readings_of(0.1, boxcar, boxcar), 0.1), TransientKind::instant);
  EXPECT_EQ(kind_of(readings_of(0.1, board, at_once), 0.1), TransientKind::slow_board);
  EXPECT_EQ(kind_of(readings_of(0.1, ramp, ramp), 0.1), TransientKind::averaging);
  EXPECT_EQ(kind_of(readings_of(0.015, charging, charging), 0.015), TransientKind::logarithmic);
}

TEST(YangStep, StepsThatAreLostInTheReadingsAreLeftOut) {
  auto readings = readings_of(0.1, at_once, at_once);
  for (ticks::Tick& reading : readings) reading.value = kBase + (reading.value - kBase) / 250.0;
  EXPECT_FALSE(step_response(readings, kStep, kUntil));  // 0.8 W
  EXPECT_FALSE(step_response({}, kStep, kUntil));
  EXPECT_FALSE(summarize_transient({{}, {}}, 0.1));
}

TEST(YangStep, LevelsCountAlikeHoweverOftenTheyWereSeen) {
  const StepResponse quick{.t10 = 0.1, .t50 = 0.1, .t90 = 0.2};
  const StepResponse slow{.t10 = 0.1, .t50 = 0.3, .t90 = 0.4};
  const auto transient = summarize_transient({{quick, quick, quick}, {slow}, {}}, 0.1);
  ASSERT_TRUE(transient);
  EXPECT_NEAR(transient->rise.mean, 0.2, 1e-12);
  EXPECT_NEAR(transient->delay.mean, 0.2, 1e-12);
  EXPECT_EQ(transient->rise.count, 4U);
  EXPECT_FALSE(transient->too_long_for_window());
}

}  // namespace
}  // namespace truewatt::replication::yang
