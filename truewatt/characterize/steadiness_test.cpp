#include "truewatt/identification/profile/steadiness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "truewatt/testing/characterized.hpp"

namespace truewatt::characterize {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Not;

TEST(Steadiness, IsJudgedByTheChangeOverWhatIsLeft) {
  // 200 W of step: 2 W may change; 0.1 W/s known to 0.02 W/s are 0.04 W/s for sure (3 of them).
  const identification::PowerDrift drift{
      .idle_w_per_s = {-0.1, 0.02}, .work_w_per_s = {0.0, 0.02}, .amplitude_w = 200.0};
  EXPECT_FALSE(identification::is_unsteady(drift, Seconds(49.0), 3.0));
  EXPECT_TRUE(identification::is_unsteady(drift, Seconds(51.0), 3.0));
  const identification::PowerDrift work{
      .idle_w_per_s = {0.0, 0.02}, .work_w_per_s = {0.1, 0.02}, .amplitude_w = 200.0};
  EXPECT_TRUE(identification::is_unsteady(work, Seconds(51.0), 3.0));
}

TEST(Steadiness, SaysWhatNobodyKnows) {
  Recording recording;
  recording.health = {{.time = HostTime(1s)}, {.time = HostTime(2s)}};
  const Steadiness unknown = identification::steadiness_of({}, {}, recording);
  EXPECT_FALSE(unknown.idle_drift_w_per_s || unknown.work_drift_w_per_s || unknown.source);
  EXPECT_FALSE(unknown.temperature_begin_c || unknown.temperature_end_c);
  EXPECT_THAT(unknown.reasons, Contains(SteadinessReason::drift_not_measured));
  EXPECT_THAT(unknown.reasons, Contains(SteadinessReason::temperature_unknown));
  recording.health[0].temperature_c = 41.0;
  recording.health[1].temperature_c = 55.0;
  recording.events = {{HostTime(3s), EventKind::warm_up_began, ""},
                      {HostTime(7500ms), EventKind::warm_up_ended, ""}};
  const Steadiness known = identification::steadiness_of({}, {}, recording);
  EXPECT_EQ(known.temperature_begin_c, 41.0);
  EXPECT_EQ(known.temperature_end_c, 55.0);
  EXPECT_THAT(known.reasons, Not(Contains(SteadinessReason::temperature_unknown)));
  EXPECT_DOUBLE_EQ(known.warm_up_s, 4.5);
}

/// A device with a lag of 0.1 s whose power rises by `drift_w` as full work warms it up.
std::string warming_device(const std::string& name, double drift_w, double time_constant_s) {
  const std::string path = testing::TempDir() + "truewatt_" + name + ".toml";
  std::ofstream(path) << "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.05\n"
                         "averaging_window_s = 0.05\ntime_constant_s = 0.1\n"
                         "[power]\ndrift_w = "
                      << drift_w << "\ndrift_time_constant_s = " << time_constant_s << "\n";
  return "sim:" + path;
}

void expect_true_parameters(const identification::Characterization& result) {
  const SourceProfile& source = result.profile.sources.at(0);
  const auto expect = [](const std::optional<Interval>& found, double truth) {
    ASSERT_TRUE(found);
    EXPECT_LE(found->lower, truth);
    EXPECT_GE(found->upper, truth);
    EXPECT_LT(found->upper - found->lower, 2.5e-3);
  };
  expect(source.averaging_window_s, 0.05);
  expect(source.time_constant_s, 0.1);
  expect(source.delay_s, 0.0);
}

TEST(Steadiness, OfASteadyBoardCostsNoWarmUp) {
  const auto result = characterized(warming_device("steady", 0.0, 30.0));
  ASSERT_TRUE(result.profile.steadiness);
  const Steadiness& steadiness = *result.profile.steadiness;
  EXPECT_EQ(steadiness.warm_up_s, 0.0);
  EXPECT_TRUE(steadiness.reasons.empty());
  EXPECT_LT(steadiness.work_drift_w_per_s.value().lower, 0.0);
  EXPECT_GT(steadiness.work_drift_w_per_s.value().upper, 0.0);
  EXPECT_TRUE(steadiness.temperature_begin_c && steadiness.temperature_end_c);
  expect_true_parameters(result);
}

TEST(Steadiness, OfAColdBoardIsWaitedForAndItsParametersAreRight) {
  const auto result = characterized(warming_device("warming", 30.0, 20.0));
  const Steadiness& steadiness = *result.profile.steadiness;
  EXPECT_GT(steadiness.warm_up_s, 3.0);
  EXPECT_LE(steadiness.warm_up_s, 0.25 * 60.0 + 0.5);
  EXPECT_LE(result.profile.duration_s, 60.0);
  expect_true_parameters(result);
  EXPECT_THAT(result.profile.sources[0].reasons, Contains(ProfileReason::thermal_drift));
  // The recording says when; fitting it again leaves the same readings out.
  const auto again = characterize_recorded(result.recording);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_DOUBLE_EQ(again->profile.steadiness->warm_up_s, steadiness.warm_up_s);
  EXPECT_EQ(again->sources[0].readings.size(), result.sources[0].readings.size());
}

TEST(Steadiness, ThatTheBudgetDidNotReachIsSaid) {
  const auto result =
      characterized(warming_device("too_slow", 120.0, 100.0), {.budget = Seconds(30.0)});
  const Steadiness& steadiness = *result.profile.steadiness;
  EXPECT_NEAR(steadiness.warm_up_s, 0.25 * 30.0, 0.5);
  EXPECT_THAT(steadiness.reasons, Contains(SteadinessReason::not_steady));
  EXPECT_GT(steadiness.idle_drift_w_per_s.value().lower, 0.0);
  EXPECT_THAT(result.profile.sources[0].reasons, Contains(ProfileReason::not_steady));
}

}  // namespace
}  // namespace truewatt::characterize
