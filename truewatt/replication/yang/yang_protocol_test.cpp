#include "truewatt/replication/yang/yang_protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::replication {
namespace {

using testing::Contains;

YangRun played(const std::string& device, int repetitions) {
  auto set = devices::open_devices({.selectors = {device}}, {});
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  YangOptions options;
  options.plan = plan_with(repetitions);
  options.plan.warm_up = Seconds(5);
  auto run = run_yang_protocol(*set, {}, options);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  return std::move(*run);
}

const SourceProfile& source_of(const YangRun& run, SourceKind kind) {
  const auto* source = find_source(run.profile, {kind, Scope::gpu});
  if (source == nullptr) throw std::runtime_error("source is missing");
  return *source;
}

TEST(YangPlan, WholeProtocolTakesThePapersTime) {
  // 47 to 49 minutes per GPU.
  EXPECT_NEAR(YangPlan{}.duration().count() / 60, 48.0, 2.0);
}

TEST(YangPlan, ABudgetTakesAwayRepetitions) {
  const auto plan = plan_within(Seconds(600));
  ASSERT_TRUE(plan);
  EXPECT_LE(plan->duration(), Seconds(600));
  EXPECT_LT(plan->window_repetitions, 32);
  EXPECT_GE(plan->step_repetitions, 1);
  EXPECT_EQ(plan_within(Seconds(60)).error().code, Errc::invalid_argument);
}

TEST(YangProtocol, AnRtx3090IsFlatAndItsAverageTooSlow) {
  const YangRun run = played("sim:rtx3090", 8);
  EXPECT_EQ(run.profile.protocol, PublishedProtocol::yang);
  const SourceProfile& instant = source_of(run, SourceKind::power_instant);
  EXPECT_NEAR(instant.protocol_values.at("update_median_s"), 0.1, 1e-3);
  EXPECT_EQ(instant.response, ResponseClass::instant);
  EXPECT_EQ(instant.verdict, SourceVerdict::complete);
  EXPECT_LT(instant.protocol_values.at("swing_share"), 0.15);
  EXPECT_EQ(instant.protocol_values.at("window_count"), 48.0);
  const SourceProfile& average = source_of(run, SourceKind::power_average);
  EXPECT_EQ(average.verdict, SourceVerdict::trailing);
  EXPECT_EQ(average.response, ResponseClass::ramp);
  // 0.8 of a second, and the board's own rise; a crossing is seen at an update.
  EXPECT_NEAR(average.rise_time_s->value, 0.85, 0.06);
  EXPECT_THAT(average.reasons, Contains(ProfileReason::rise_time_too_long));
  EXPECT_FALSE(average.averaging_window_s);
}

TEST(YangProtocol, AnA100SwingsAndItsFilterIsTakenForAWindow) {
  const YangRun run = played("sim:a100", 8);
  const SourceProfile& instant = source_of(run, SourceKind::power_instant);
  EXPECT_EQ(instant.verdict, SourceVerdict::part_time);
  EXPECT_EQ(instant.protocol_values.at("transient_kind"), 1.0);
  ASSERT_TRUE(instant.averaging_window_s);
  EXPECT_THAT(instant.reasons, Contains(ProfileReason::interval_is_standard_error));
  EXPECT_FALSE(instant.time_constant_s);
}

TEST(YangProtocol, ACapacitorIsLogarithmic) {
  const YangRun run = played("sim:k40", 1);
  const SourceProfile& usage = source_of(run, SourceKind::power_usage);
  EXPECT_EQ(usage.protocol_values.count("swing_share"), 0U);  // one run has one phase
  EXPECT_EQ(usage.response, ResponseClass::exponential);
  // ln 9 of 52 ms; crossings are seen at updates of 15 ms.
  EXPECT_NEAR(usage.rise_time_s->value, 0.114, 0.015);
}

}  // namespace
}  // namespace truewatt::replication
