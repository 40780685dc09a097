#include "truewatt/energy/observe/relative_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

Calibration calibration(SourceId source, double gain, double offset_w) {
  Calibration one;
  one.source = source;
  one.gain = {gain, gain - 0.00196, gain + 0.00196, 0.95};
  one.offset_w = {offset_w, offset_w - 0.196, offset_w + 0.196, 0.95};
  return one;
}

/// A counter that sees 200 W, and what an instant source with this gain and offset shows of them.
ObservedBoard board(double gain, double offset_w) {
  ObservedSource counter{.source = kCounter, .look = Look::counter};
  counter.readings = {{.time = 0.1, .value = 20.0}};
  ObservedSource instant{.source = kInstant, .gain_sd = 0.05, .offset_sd = 5.0};
  instant.readings = {{.time = 0.1, .value = 200 * gain + offset_w}};
  return {.sources = {counter, instant}};
}

TEST(RelativeScale, OfSourcesThatNobodyComparedStaysOpen) {
  ObservedBoard one = board(1.02, 1.0);
  put_on_one_scale(one, {});
  EXPECT_DOUBLE_EQ(one.sources[1].readings[0].value, 205.0);
  EXPECT_DOUBLE_EQ(one.sources[1].gain_sd, 0.05);
  EXPECT_DOUBLE_EQ(one.sources[1].offset_sd, 5.0);
}

TEST(RelativeScale, OfCalibratedSourcesIsThatOfTheirCalibrations) {
  ObservedBoard one = board(1.02, 1.0);
  Knowledge knowledge;
  knowledge.calibrations = {calibration(kInstant, 1.02, 1.0), calibration(kCounter, 0.98, -2.0)};
  put_on_one_scale(one, knowledge);
  EXPECT_NEAR(one.sources[1].readings[0].value, 200 * 0.98 - 2.0, 1e-9);
  EXPECT_DOUBLE_EQ(one.sources[0].readings[0].value, 20.0);
  // Both are known to 0.1 %, and differ by 0.2 % from run to run.
  EXPECT_NEAR(one.sources[1].gain_sd, 0.00245, 0.0001);
  EXPECT_NEAR(one.sources[1].offset_sd, std::sqrt(0.3 * 0.3 + 2 * 0.1 * 0.1), 1e-5);
}

TEST(RelativeScale, ComparedWithTheCounterIsKnownAtThePowerOfThat) {
  ObservedBoard one = board(1.02, 0.0);
  Profile profile;
  profile.sources.emplace_back();
  profile.sources.back().source = kCounter;
  profile.sources.back().counter.emplace();
  profile.sources.back().counter->agreement = {
      {kInstant, {1 / 1.02, 1 / 1.02 - 0.00196, 1 / 1.02 + 0.00196, 0.95}, 306.0}};
  ObservedBoard of_samples = one;
  put_on_one_scale(of_samples, {.profile = &profile});
  EXPECT_DOUBLE_EQ(of_samples.sources[1].gain_sd, 0.05) << "a counter that adds up samples";
  one.sources[0].integrates = true;
  put_on_one_scale(one, {.profile = &profile});
  const ObservedSource& instant = one.sources[1];
  EXPECT_NEAR(instant.readings[0].value, 200.0, 1e-9);
  EXPECT_NEAR(instant.pivot_w, 300.0, 1e-9);
  EXPECT_NEAR(instant.offset_sd, 300 * std::hypot(0.001, 0.002), 1e-5);
  // 5 W at no power are 1.7 % of gain about 300 W.
  EXPECT_NEAR(instant.gain_sd, 1 / std::hypot(1 / 0.05, 300 / 5.0), 1e-6);
}

}  // namespace
}  // namespace truewatt::energy
