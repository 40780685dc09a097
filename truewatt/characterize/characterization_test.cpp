#include "truewatt/characterize/characterization.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "truewatt/testing/characterized.hpp"

namespace truewatt::characterize {
namespace {

using testing::Contains;

void expect_near(const std::optional<Interval>& interval, double truth, double tolerance) {
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->value, truth, tolerance);
  EXPECT_LE(interval->lower, truth);
  EXPECT_GE(interval->upper, truth);
}

/// A device described by the text of one [[sensor]] table and what follows it.
std::string device_file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "truewatt_" + name + ".toml";
  std::ofstream(path) << "[[sensor]]\nsource = \"power.instant\"\n" << text;
  return "sim:" + path;
}

TEST(Characterize, TellsBoxcarAverageAndCompleteSourceOfAnRtx3090) {
  const auto result = characterized("sim:rtx3090");
  EXPECT_LE(result.profile.duration_s, 60.0);
  const SourceProfile& instant = source_of(result, SourceKind::power_instant);
  expect_near(instant.update_period_s, 0.1, 1e-4);
  expect_near(instant.averaging_window_s, 0.1, 1e-3);
  expect_near(instant.delay_s, 0.0, 5e-3);
  EXPECT_EQ(instant.time_constant_s->value, 0.0);
  EXPECT_EQ(instant.response, ResponseClass::instant);
  EXPECT_EQ(instant.verdict, SourceVerdict::complete);
  ASSERT_EQ(instant.levels.size(), 3U);
  for (const LevelFinding& level : instant.levels) {
    EXPECT_NEAR(level.share.value, level.level, level.share.upper - level.share.lower);
    EXPECT_NEAR(level.later_s.value, 0.0, level.later_s.upper - level.later_s.lower);
  }
  const SourceProfile& average = source_of(result, SourceKind::power_average);
  expect_near(average.averaging_window_s, 1.0, 0.01);
  EXPECT_EQ(average.response, ResponseClass::ramp);
  EXPECT_EQ(average.verdict, SourceVerdict::trailing);
  const SourceProfile& counter = source_of(result, SourceKind::energy_counter);
  EXPECT_EQ(counter.verdict, SourceVerdict::complete);
  ASSERT_TRUE(counter.counter);
  EXPECT_EQ(counter.counter->counting, Counting::all);
  // Both look all of the time for as long; polls that come late lose nothing of a counter.
  EXPECT_EQ(result.profile.recommended_source, counter.source);
  ASSERT_TRUE(instant.catalogue);
  EXPECT_EQ(instant.catalogue->code, "2");
  EXPECT_EQ(instant.catalogue->agrees, true);
}

TEST(Characterize, TellsTheFilterOfAnA100FromABoxcar) {
  const SourceProfile instant = source_of(characterized("sim:a100"), SourceKind::power_instant);
  expect_near(instant.time_constant_s, 0.013, 3e-4);
  EXPECT_EQ(instant.response, ResponseClass::instant);
  EXPECT_EQ(instant.verdict, SourceVerdict::part_time);
  EXPECT_NEAR(*instant.duty, 0.26, 0.03);
}

TEST(Characterize, FindsTheCapacitorOfAK20) {
  const SourceProfile usage = source_of(characterized("sim:k20"), SourceKind::power_usage);
  expect_near(usage.update_period_s, 0.015, 1e-5);
  expect_near(usage.time_constant_s, 0.84, 0.01);
  EXPECT_EQ(usage.response, ResponseClass::exponential);
  // Far below the lag a window cannot be seen, and is not made up.
  EXPECT_FALSE(usage.averaging_window_s);
  EXPECT_THAT(usage.reasons, Contains(ProfileReason::averaging_window_not_resolved));
}

TEST(Characterize, FindsALongDelayAndSaysNothingOfALongerOne) {
  const auto of = [](const std::string& delay) {
    const auto device =
        device_file("late", "update_period_s = 0.1\naveraging_window_s = 0.1\ndelay_s = " + delay +
                                "\n[power]\nmax_w = 400.0\n");
    return source_of(characterized(device), SourceKind::power_instant);
  };
  const auto found = of("0.25").delay_s;
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 0.25, 1e-3);
  const SourceProfile later = of("0.6");
  EXPECT_FALSE(later.delay_s);
  EXPECT_THAT(later.reasons, Contains(ProfileReason::delay_not_resolved));
}

TEST(Characterize, TellsReadingsThatAreComputedFromTheLoad) {
  const auto device = device_file("computed",
                                  "activity_steps = 20\nupdate_period_s = 0.05\n"
                                  "averaging_window_s = 0.05\ngain = 1.2\n"
                                  "[power]\nrise_time_constant_s = 0.2\novershoot = 0.1\n");
  const auto result = characterized(device, {.budget = Seconds(30.0)});
  const SourceProfile& computed = source_of(result, SourceKind::power_instant);
  EXPECT_EQ(computed.response, ResponseClass::estimated);
  EXPECT_EQ(computed.verdict, SourceVerdict::unusable);
  EXPECT_THAT(computed.reasons, Contains(ProfileReason::computed_not_measured));
  EXPECT_FALSE(result.profile.recommended_source);
  ASSERT_TRUE(computed.catalogue);
  EXPECT_EQ(computed.catalogue->code, "7");
}

// Longer than the steps that it is shown: no model of those that are fitted is right.
TEST(Characterize, SaysNothingOfAWindowThatIsLongerThanItsWork) {
  const auto result = characterized(device_file(
      "long_window", "update_period_s = 0.1\naveraging_window_s = 3.0\n[power]\nmax_w = 400.0\n"));
  const SourceProfile& source = source_of(result, SourceKind::power_instant);
  EXPECT_TRUE(source.update_period_s);
  EXPECT_FALSE(source.fitted || source.delay_s || source.total_lag_s || source.duty);
  EXPECT_EQ(source.verdict, SourceVerdict::unusable);
  EXPECT_THAT(source.reasons, testing::ElementsAre(ProfileReason::averaging_window_too_long));
  EXPECT_FALSE(result.profile.recommended_source);
}

/// A lag of 5 s was one of 3.0 +- 0.4 s, and one of 3 s was 2.05 +- 0.04.
TEST(Characterize, SaysNothingOfALagThatIsLongerThanItsWork) {
  for (const char* lag : {"3.0", "5.0"}) {
    const auto result = characterized(device_file(
        "long_lag", "update_period_s = 0.02\naveraging_window_s = 0\ntime_constant_s = " +
                        std::string(lag) + "\n[power]\nmax_w = 400.0\n"));
    const SourceProfile& source = source_of(result, SourceKind::power_instant);
    EXPECT_FALSE(source.fitted || source.time_constant_s || source.total_lag_s || source.duty);
    EXPECT_EQ(source.verdict, SourceVerdict::unusable);
    EXPECT_THAT(source.reasons, testing::ElementsAre(ProfileReason::time_constant_too_long));
  }
}

TEST(Characterize, StopsWhenEverythingIsKnown) {
  const auto device = device_file("easy",
                                  "update_period_s = 0.02\naveraging_window_s = 0.02\n"
                                  "[power]\nnoise_w = 0.01\n");
  const auto result = characterized(device);
  EXPECT_LT(result.profile.duration_s, 40.0);
  EXPECT_TRUE(source_of(result, SourceKind::power_instant).averaging_window_s);
}

TEST(Characterize, KeepsToItsBudget) {
  const auto result = characterized("sim:a100", {.budget = Seconds(20.0)});
  EXPECT_LE(result.profile.duration_s, 20.0);
  expect_near(source_of(result, SourceKind::power_instant).update_period_s, 0.1, 5e-4);
}

TEST(Characterize, SaysWhatItMayNotRead) {
  const auto device = device_file("denied",
                                  "[[sensor]]\nsource = \"power.average\"\n"
                                  "[faults]\ndenied = [\"power.average\"]\n");
  const auto result = characterized(device, {.budget = Seconds(20.0)});
  const SourceProfile& average = source_of(result, SourceKind::power_average);
  EXPECT_EQ(average.verdict, SourceVerdict::unusable);
  EXPECT_THAT(average.reasons, Contains(ProfileReason::permission_denied));
  EXPECT_TRUE(source_of(result, SourceKind::power_instant).update_period_s);
  // The recording says so too, to whoever fits it again.
  const auto again = characterize_recorded(result.recording);
  ASSERT_TRUE(again) << again.error().message;
  const SourceProfile& refused = source_of(*again, SourceKind::power_average);
  EXPECT_EQ(refused.verdict, SourceVerdict::unusable);
  EXPECT_THAT(refused.reasons, Contains(ProfileReason::permission_denied));
}

TEST(Characterize, KnowsOnlyTheTotalLagOfACounterThatSeemsToCountAhead) {
  // Clocks that disagree by 15 ms make a counter look like one.
  const auto device = device_file("ahead",
                                  "update_period_s = 0.02\n[[sensor]]\nsource = "
                                  "\"energy.counter\"\nupdate_period_s = 0.1\ndelay_s = -0.015\n");
  const auto result = characterized(device);
  const SourceProfile& counter = source_of(result, SourceKind::energy_counter);
  EXPECT_FALSE(counter.delay_s);
  EXPECT_FALSE(counter.time_constant_s);
  EXPECT_FALSE(counter.averaging_window_s);
  EXPECT_THAT(counter.reasons, Contains(ProfileReason::delay_not_resolved));
  EXPECT_EQ(counter.counter.value().counting, Counting::unresolved);
  // Its inner readings are means over 25 ms, a simulated sensor's usual window.
  expect_near(counter.total_lag_s, 0.05 + 0.025 / 2 - 0.015, 1e-3);
}

TEST(Characterize, KeepsNothingOfALevelThatNobodyRead) {
  // Limited clocks take the readings of the steps below full, which come after the first two.
  const auto device = device_file("limited", "[faults]\nthrottle = [[9.0, 7.0, 0.5]]\n");
  const auto result = characterized(device);
  for (const SourceProfile& source : result.profile.sources) {
    for (const LevelFinding& level : source.levels) {
      EXPECT_TRUE(std::isfinite(level.share.value));
      EXPECT_TRUE(std::isfinite(level.later_s.value));
      EXPECT_GT(level.share.upper, level.share.lower);
    }
  }
}

TEST(Characterize, LeavesAPartialProfileWhenStopped) {
  std::stop_source stop;
  CharacterizeOptions options;
  options.stop = stop.get_token();
  options.progress = [&stop](std::optional<double> share, const std::string&) {
    if (share && *share > 0.3) stop.request_stop();
  };
  const auto result = characterized("sim:a100", options);
  EXPECT_LT(result.profile.duration_s, 50.0);
  for (const SourceProfile& source : result.profile.sources) {
    EXPECT_THAT(source.reasons, Contains(ProfileReason::interrupted));
  }
}

TEST(Characterize, SaysThatClocksWereLimited) {
  const auto device = device_file(
      "throttled",
      "update_period_s = 0.1\naveraging_window_s = 0.025\n[faults]\nthrottle = [[8, 3, 0.5]]\n");
  const auto result = characterized(device, {.budget = Seconds(20.0)});
  const SourceProfile& source = result.profile.sources.at(0);
  EXPECT_THAT(source.reasons, Contains(ProfileReason::throttled));
  // The model of the load does not hold then: those readings are left out.
  expect_near(source.update_period_s, 0.1, 5e-4);
  expect_near(source.averaging_window_s, 0.025, 1e-3);
}

TEST(Characterize, SaysWhatBudgetWouldResolve) {
  const auto device = device_file("slowly",
                                  "update_period_s = 0.2\naveraging_window_s = 0.12\n"
                                  "time_constant_s = 0.03\nnoise_w = 2.0\n");
  const auto brief = characterized(device, {.budget = Seconds(20.0)});
  const SourceProfile& unresolved = brief.profile.sources.at(0);
  EXPECT_FALSE(unresolved.time_constant_s);
  ASSERT_TRUE(unresolved.needs_s);
  EXPECT_GT(*unresolved.needs_s, 20.0);
  const auto whole = characterized(device, {.budget = Seconds(*unresolved.needs_s)});
  EXPECT_TRUE(whole.profile.sources.at(0).time_constant_s);
  EXPECT_FALSE(whole.profile.sources.at(0).needs_s);
}

TEST(CharacterizeRecorded, FindsAgainWhatWasFoundWhileItRan) {
  const auto live = characterized("sim:a100", {.budget = Seconds(30.0)});
  const auto again = characterize_recorded(live.recording);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->sources.size(), live.sources.size());
  EXPECT_EQ(again->profile.recommended_source, live.profile.recommended_source);
  for (std::size_t i = 0; i < live.sources.size(); ++i) {
    EXPECT_EQ(again->sources[i].profile.verdict, live.sources[i].profile.verdict);
    if (!live.sources[i].fit) continue;
    // Another search for the same minimum: a tenth of an interval apart at most.
    const Interval& lag = live.sources[i].fit->time_constant;
    EXPECT_NEAR(again->sources[i].fit->time_constant.value, lag.value,
                0.1 * (lag.upper - lag.lower));
  }
}

TEST(CharacterizeRecorded, SaysWhyItCannot) {
  auto recording = characterized("sim:k20", {.budget = Seconds(15.0)}).recording;
  recording.activity.back().kind.what = "another";
  EXPECT_EQ(characterize_recorded(recording).error().code, Errc::unsupported);
  recording.activity.clear();
  EXPECT_EQ(characterize_recorded(recording).error().code, Errc::insufficient_data);
}

TEST(Characterize, IsDeterministicUnderItsSeed) {
  const auto a = characterized("sim:v100", {.budget = Seconds(20.0), .seed = 3});
  const auto b = characterized("sim:v100", {.budget = Seconds(20.0), .seed = 3});
  EXPECT_EQ(a.profile.sources[0].delay_s->value, b.profile.sources[0].delay_s->value);
}

}  // namespace
}  // namespace truewatt::characterize
