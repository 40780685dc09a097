// Characterizations of a simulated H200, the device with most sources: half a minute of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "truewatt/testing/characterized.hpp"

namespace truewatt::characterize {
namespace {

using testing::Contains;

void expect_client_cache(const identification::Characterization& result) {
  for (const SourceKind kind :
       {SourceKind::power_usage, SourceKind::power_average, SourceKind::power_instant}) {
    const SourceProfile& source = source_of(result, kind);
    EXPECT_THAT(source.reasons, Contains(ProfileReason::client_cache));
    EXPECT_LE(source.update_period_s.value().lower, 0.1);
    EXPECT_GE(source.update_period_s->upper, 0.1);
    EXPECT_NEAR(source.update_period_s->value, 0.1, 0.0002);
  }
}

void expect_agreement(const identification::Characterization& result) {
  const SourceProfile& counter = source_of(result, SourceKind::energy_counter);
  const auto& agreement = counter.counter.value().agreement;
  const auto ring = std::find_if(agreement.begin(), agreement.end(), [](const auto& one) {
    return one.source.kind == SourceKind::power_samples;
  });
  ASSERT_NE(ring, agreement.end());
  // Three standard uncertainties; how often two hold it is in coverage_survey_test.
  const double half = (ring->ratio.upper - ring->ratio.lower) / 2;
  EXPECT_NEAR(ring->ratio.value, 1.0, 3 * half / kCoverageFactor95);
  EXPECT_LT(half, 0.005);
}

TEST(CharacterizeH200, FindsTheClientsCacheAndHoldsTheCounterAgainstEveryPowerReading) {
  const auto result = characterized("sim:h200");
  // Calls of two milliseconds hide when the cache is filled.
  expect_client_cache(result);
  expect_agreement(result);
  expect_agreement(characterized("sim:h200", {.seed = 2}));
}

}  // namespace
}  // namespace truewatt::characterize
