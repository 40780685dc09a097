#include "truewatt/energy/former/relative_gain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

SourceView uncalibrated(SourceId source) {
  return {.source = source, .gain_sd = 0.05, .offset_sd = 5.0};
}

/// 300 W by the counter, 303 W by the ring.
SourceView compared_counter(double ratio_sd = 0.002) {
  SourceView counter = uncalibrated(kCounter);
  const double ratio = 300.0 / 303.0;
  counter.agreement = {{kInstant, interval95({2.0, 0.5}), 100.0},
                       {kRing, interval95({ratio, ratio_sd * ratio}), 303.0}};
  return counter;
}

/// Mean and standard uncertainty of what the second source reads where the first reads `power_w`.
Uncertain reading_at(double power_w, const RelativeGain& relative) {
  const double from_pivot = power_w - relative.pivot_w;
  return {power_w + (relative.gain - 1) * from_pivot + relative.offset_w,
          std::hypot(relative.gain_sd * from_pivot, relative.offset_sd)};
}

TEST(RelativeGain, AtThePowerOfTheirCharacterizationSourcesReadTheSameToItsUncertainty) {
  const SourceView counter = compared_counter();
  const SourceView ring = uncalibrated(kRing);
  const Uncertain by_ring = reading_at(300.0, relative_gain(counter, ring));
  EXPECT_NEAR(by_ring.value, 303.0, 1e-9);
  EXPECT_NEAR(by_ring.standard_uncertainty, 303.0 * std::hypot(0.002, 0.001), 1e-9);
  const Uncertain by_counter = reading_at(303.0, relative_gain(ring, counter));
  EXPECT_NEAR(by_counter.value, 300.0, 1e-9);
  EXPECT_NEAR(by_counter.standard_uncertainty, 300.0 * std::hypot(0.002, 0.001), 1e-9);
}

TEST(RelativeGain, ElsewhereItIsLeftToTheReadings) {
  const RelativeGain relative = relative_gain(compared_counter(), uncalibrated(kRing));
  const Uncertain at_idle = reading_at(100.0, relative);
  EXPECT_NEAR(at_idle.value, 101.0, 1e-9) << "a ratio is a gain as long as nothing else is known";
  EXPECT_GT(at_idle.standard_uncertainty, std::hypot(0.05, 0.05) * 200.0);
}

TEST(RelativeGain, IsTheStatedOneOfSourcesThatNobodyCompared) {
  const SourceView ring = uncalibrated(kRing);
  SourceView calibrated = compared_counter();
  calibrated.calibrated = true;
  calibrated.gain_sd = 0.001;
  SourceView of_old_profile = compared_counter();
  for (EnergyAgreement& agreement : of_old_profile.agreement) agreement.power_w.reset();
  for (const SourceView& counter : {uncalibrated(kCounter), calibrated, of_old_profile}) {
    const RelativeGain relative = relative_gain(counter, ring);
    EXPECT_EQ(relative.pivot_w, 0.0);
    EXPECT_EQ(relative.gain, 1.0);
    EXPECT_EQ(relative.offset_w, 0.0);
    EXPECT_EQ(relative.gain_sd, stated_gain(counter, ring).gain_sd);
    EXPECT_NEAR(relative.offset_sd, std::hypot(5.0, 5.0), 1e-12);
  }
}

}  // namespace
}  // namespace truewatt::energy
