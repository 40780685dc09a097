// The client's cache of a real H200, from a live characterization.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "truewatt/characterize/characterization.hpp"
#include "truewatt/devices/recorded_input.hpp"

namespace truewatt::characterize {
namespace {

const std::filesystem::path kCacheData = TRUEWATT_TEST_DATA;

// Taken for fresh, its delay drifts by 5 ms in 30 s and its noise is twice the buffer's: the
// refreshes drift through the values that the driver holds for 20 ms.
TEST(RecordedCache, OfAnH200ShowsWhatTheDriverHolds) {
  const auto input = devices::read_recorded_input(kCacheData / "h200" / "characterize_live.db", {});
  ASSERT_TRUE(input);
  const auto result = characterize_recorded(input->recording);
  ASSERT_TRUE(result);
  const auto find = [&result](SourceKind kind) {
    const auto found = std::find_if(result->sources.begin(), result->sources.end(),
                                    [kind](const identification::CharacterizedSource& source) {
                                      return source.profile.source.kind == kind;
                                    });
    return *found;
  };
  const identification::CharacterizedSource instant = find(SourceKind::power_instant);
  const identification::CharacterizedSource buffer = find(SourceKind::power_samples);
  EXPECT_THAT(instant.profile.reasons, testing::Contains(ProfileReason::held_readings));
  EXPECT_LT(instant.fit->noise_sd_w, 1.3 * buffer.fit->noise_sd_w);
  const Interval lag = instant.profile.time_constant_s.value();
  EXPECT_LT(lag.lower, buffer.profile.time_constant_s->upper);
  EXPECT_GT(lag.upper, buffer.profile.time_constant_s->lower);
  EXPECT_LT(lag.upper - lag.lower, 0.1 * lag.value);
  // Any age up to the hold, whatever this run met of it.
  EXPECT_GT(instant.profile.delay_s->upper - instant.profile.delay_s->lower, 0.02);
}

}  // namespace
}  // namespace truewatt::characterize
