// The procedures of Burtscher 2014 on the metered boards of Yang 2024.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "truewatt/devices/recorded_input.hpp"
#include "truewatt/replication/burtscher/burtscher_source.hpp"

namespace truewatt::replication {
namespace {

const std::filesystem::path kBurtscherData = std::filesystem::path(TRUEWATT_TEST_DATA) / "sc24";

BurtscherSource judged(const std::string& name, SourceKind kind) {
  const auto input = devices::read_recorded_input(kBurtscherData / name, {}).value();
  const Trace* trace = find_trace(input.recording, {kind, Scope::gpu});
  if (trace == nullptr) throw std::runtime_error("no such source in " + name);
  const Window& window = input.recording.windows.front();
  return burtscher_source(*trace, {trace->begin,
                                   {seconds_between(trace->begin, window.begin),
                                    seconds_between(trace->begin, window.end)}});
}

// The joint fit against the meter gives 51.7 +- 0.8 ms (README); this is one step without a meter,
// whose rise holds the board's own.
TEST(BurtscherRecorded, AK40msCapacitor) {
  const auto source = judged("step_k40m", SourceKind::power_usage);
  ASSERT_TRUE(source.profile.time_constant_s);
  EXPECT_NEAR(source.profile.time_constant_s->value, 0.052, 0.006);
  EXPECT_LT(source.profile.time_constant_s->lower, 0.0517);
  EXPECT_GT(source.profile.time_constant_s->upper, 0.0517);
  // Half of the values of its log come out equal; the median of changes is 30 ms.
  EXPECT_NEAR(source.profile.update_period_s->value, 0.015, 0.001);
}

TEST(BurtscherRecorded, AnA100AndAnRtx3090HaveNone) {
  EXPECT_FALSE(judged("step_a100", SourceKind::power_instant).profile.time_constant_s);
  const auto average = judged("step_rtx3090", SourceKind::power_average);
  EXPECT_FALSE(average.profile.time_constant_s);
  EXPECT_THAT(average.profile.reasons, testing::Contains(ProfileReason::rises_in_a_line));
  EXPECT_FALSE(judged("step_rtx3090", SourceKind::power_instant).profile.time_constant_s);
}

}  // namespace
}  // namespace truewatt::replication
