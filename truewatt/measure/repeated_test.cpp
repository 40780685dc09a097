#include "truewatt/measure/repeated.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "truewatt/energy/aggregate/execution_mean.hpp"
#include "truewatt/measure/repetition_design.hpp"
#include "truewatt/store/run_file.hpp"
#include "truewatt/testing/profiles.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::measure {
namespace {

devices::DeviceSet opened(const std::string& device, std::uint64_t seed = 1) {
  auto set = devices::open_devices({.selectors = {device}, .seed = seed}, {});
  EXPECT_TRUE(set);
  return std::move(*set);
}

load::Schedule load_of(const std::string& spec) { return *load::parse_schedule(spec, 1); }

TEST(Repeated, IsTheEnergyOfOneExecution) {
  devices::DeviceSet set = opened("sim:h100");
  const load::Schedule once = load_of("step:on=100ms");
  const auto measured = measure_repeatedly(set, once, {}, {.executions = 23});
  ASSERT_TRUE(measured) << measured.error().message;
  const EnergyRun* const run = &measured->run;
  ASSERT_TRUE(run->repetition);
  EXPECT_EQ(run->repetition->executions, 23);
  EXPECT_EQ(run->repetition->trials, 1) << "2.3 s are too few for several trials";
  EXPECT_FALSE(run->repetition->target);
  const energy::EnergyEstimate& one = run->devices.front();
  EXPECT_EQ(one.window, Seconds(0.1));
  ASSERT_TRUE(one.energy && one.truth && one.baseline && one.net_energy);
  EXPECT_LE(one.energy->interval.lower, one.truth->value());
  EXPECT_GE(one.energy->interval.upper, one.truth->value());
  EXPECT_NEAR(one.energy->interval.value,
              one.net_energy->interval.value + 0.1 * one.baseline->value(),
              0.02 * one.energy->interval.value);
  EXPECT_EQ(run->load, once.spec);
}

TEST(Repeated, ManyExecutionsAreSeveralTrials) {
  devices::DeviceSet set = opened("sim:h100");
  const auto measured = measure_repeatedly(set, load_of("step:on=100ms"), {}, {.executions = 52});
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->run.repetition->executions, 52);
  EXPECT_GE(measured->run.repetition->trials, kFewestTrials);
  const energy::EnergyEstimate& one = measured->run.devices.front();
  ASSERT_TRUE(one.energy && one.truth);
  EXPECT_LE(one.energy->interval.lower, one.truth->value());
  EXPECT_GE(one.energy->interval.upper, one.truth->value());
}

// Under an average over a second trials of a tenth tell little each, and their scatter less.
TEST(Repeated, FewShortExecutionsAreToldByOneTrial) {
  devices::DeviceSet set = opened("sim:rtx3090", 3);
  set.devices.front().known.profile = testing_support::profile_of("sim:rtx3090");
  const SourceId average{SourceKind::power_average, Scope::gpu};
  const auto measured =
      measure_repeatedly(set, load_of("square:period=25ms,duty=0.5,duration=25ms"), {},
                         {.measure = {.estimate = {.source = average}}, .executions = 16});
  ASSERT_TRUE(measured) << measured.error().message;
  const energy::EnergyEstimate& one = measured->run.devices.front();
  ASSERT_TRUE(one.energy && one.truth);
  const auto half = energy::half_width_without_gain(one);
  ASSERT_TRUE(half);
  EXPECT_LT(*half, 0.021);
  constexpr double kGain = 0.951;  // of this device, which nobody calibrated
  EXPECT_NEAR(one.energy->interval.value / one.truth->value(), kGain, 1.5 * *half);
}

TEST(Repeated, ALoadInStepWithAPartTimeSensorIsKnownByItsOtherPhases) {
  // 25 of 100 ms are looked at: a load of 100 ms is seen at one phase for ever.
  devices::DeviceSet set = opened("sim:a100", 3);
  set.devices.front().known.profile = testing_support::profile_of("sim:a100");
  const auto measured = measure_repeatedly(
      set, load_of("square:period=100ms,duty=0.5,duration=100ms"), {}, {.target = 0.02});
  ASSERT_TRUE(measured) << measured.error().message;
  const EnergyRun* const run = &measured->run;
  const energy::EnergyEstimate& one = run->devices.front();
  ASSERT_TRUE(one.energy && one.truth);
  EXPECT_TRUE(run->repetition->reached);
  EXPECT_LE(*run->repetition->half_width, 0.02);
  EXPECT_TRUE(one.resolved);
  EXPECT_LE(one.energy->interval.lower, one.truth->value());
  EXPECT_GE(one.energy->interval.upper, one.truth->value());
}

TEST(Repeated, EndsAtTheTargetWithTheFewestTrials) {
  devices::DeviceSet set = opened("sim:h100");
  const auto measured = measure_repeatedly(set, load_of("step:on=1s"), {}, {.target = 0.1});
  ASSERT_TRUE(measured);
  const EnergyRun* const run = &measured->run;
  EXPECT_EQ(run->repetition->trials, kFewestTrials);
  EXPECT_TRUE(run->repetition->reached);
  EXPECT_FALSE(run->repetition->needs_executions);
}

TEST(Repeated, ATargetWiderThanWhatCountsAsResolvedIsReached) {
  devices::DeviceSet set = opened("sim:h100");
  const auto measured = measure_repeatedly(
      set, load_of("step:on=1s"), {}, {.measure = {.estimate = {.resolve = 1e-4}}, .target = 0.1});
  ASSERT_TRUE(measured);
  EXPECT_GT(*measured->run.repetition->half_width, 1e-4);
  EXPECT_TRUE(measured->run.repetition->reached);
  EXPECT_TRUE(measured->run.devices.front().resolved);
}

TEST(Repeated, ATargetOutOfReachIsSaidWithinAMinute) {
  devices::DeviceSet set = opened("sim:a100");
  set.devices.front().known.profile = testing_support::profile_of("sim:a100");
  const HostTime begin = set.clock->now();
  const auto measured =
      measure_repeatedly(set, load_of("step:on=1s"), {}, {.target = 1e-6, .budget = Seconds(600)});
  ASSERT_TRUE(measured);
  const EnergyRun* const run = &measured->run;
  EXPECT_LT(Seconds(set.clock->now() - begin), Seconds(60));
  EXPECT_FALSE(run->repetition->reached);
  EXPECT_FALSE(run->repetition->needs_executions);  // the model's error stays
  EXPECT_THAT(run->notes, testing::Contains(
                              testing::AnyOf(testing::HasSubstr("no number of repetitions reaches"),
                                             testing::HasSubstr("of --budget"))));
}

TEST(Repeated, TrialsThatTakeFarLongerThanTheBudgetAreFew) {
  devices::DeviceSet set = opened("sim:h200");
  const HostTime begin = set.clock->now();
  const auto measured =
      measure_repeatedly(set, load_of("step:on=30s"), {}, {.target = 0.01, .budget = Seconds(70)});
  ASSERT_TRUE(measured);
  EXPECT_LT(Seconds(set.clock->now() - begin), Seconds(75));
  EXPECT_EQ(measured->run.repetition->trials, 2);
  EXPECT_FALSE(measured->run.repetition->reached);
  EXPECT_THAT(measured->run.notes, testing::Contains(testing::HasSubstr("of --budget")));
  EXPECT_TRUE(measured->run.devices.front().energy);
}

TEST(Repeated, ATargetIsRefusedWhereOneTrialIsLongerThanTheBudget) {
  devices::DeviceSet set = opened("sim:h100");
  const HostTime begin = set.clock->now();
  const auto measured = measure_repeatedly(set, load_of("step:on=10min"), {}, {.target = 0.01});
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, Errc::invalid_argument);
  EXPECT_THAT(measured.error().message, testing::HasSubstr("--budget 3300s"));
  EXPECT_EQ(set.clock->now(), begin);
}

TEST(Repeated, WhatStaysOfOneTrialEndsThemAtOnce) {
  devices::DeviceSet set = opened("sim:a100");
  set.devices.front().known.profile = testing_support::profile_of("sim:a100");
  const auto measured = measure_repeatedly(set, load_of("step:on=100ms"), {},
                                           {.target = 1e-6, .budget = Seconds(600)});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->run.repetition->trials, 1);
  EXPECT_THAT(measured->run.notes, testing::Contains(testing::HasSubstr("stay, most of it by")));
}

TEST(Repeated, EveryTrialLeavesARunFile) {
  const testing_support::TestFolder own;
  const std::filesystem::path& folder = own.path();
  devices::DeviceSet set = opened("sim:h100");
  RepeatOptions options{.executions = kFewestTrials};
  options.measure.out = folder / "repeated.db";
  ASSERT_TRUE(measure_repeatedly(set, load_of("step:on=1s"), {}, options));
  for (int trial = 1; trial <= kFewestTrials; ++trial) {
    EXPECT_TRUE(std::filesystem::exists(folder / fmt::format("repeated.{}.db", trial))) << trial;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "repeated.db"));
}

TEST(Repeated, ARunFileThatCannotBeMadeIsSaidBeforeAnythingRuns) {
  devices::DeviceSet set = opened("sim:h100");
  RepeatOptions options{.executions = 100};
  options.measure.out = "/no/such/folder/run.db";
  const auto none = measure_repeatedly(set, load_of("step:on=1s"), {}, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::io);
}

TEST(Repeated, AStopLeavesTheTrialsThatAreWhole) {
  devices::DeviceSet set = opened("sim:h100");
  std::stop_source stop;
  int said = 0;
  RepeatOptions options{.executions = 100};
  options.measure.stop = stop.get_token();
  options.measure.progress = [&](std::optional<double>, const std::string&) {
    if (++said == 4) stop.request_stop();  // preparing, and two trials before
  };
  const auto measured = measure_repeatedly(set, load_of("step:on=1s"), {}, options);
  ASSERT_TRUE(measured) << measured.error().message;
  const EnergyRun* const run = &measured->run;
  EXPECT_EQ(run->repetition->trials, 2);
  EXPECT_FALSE(run->devices.front().valid);
  EXPECT_THAT(run->devices.front().reasons, testing::Contains(energy::Reason::interrupted));
}

TEST(Repeated, AStopBeforeTheFirstTrialIsNoResult) {
  devices::DeviceSet set = opened("sim:h100");
  std::stop_source stop;
  stop.request_stop();
  RepeatOptions options{.executions = 100};
  options.measure.stop = stop.get_token();
  const auto measured = measure_repeatedly(set, load_of("step:on=1s"), {}, options);
  ASSERT_TRUE(measured) << measured.error().message;
  const EnergyRun* const run = &measured->run;
  ASSERT_EQ(run->devices.size(), 1U);
  EXPECT_FALSE(run->devices.front().valid);
  EXPECT_FALSE(run->devices.front().energy);
  EXPECT_THAT(run->devices.front().reasons, testing::Contains(energy::Reason::interrupted));
}

TEST(Repeated, SpreadsSoManyExecutionsEvenly) {
  const testing_support::TestFolder own;
  const std::filesystem::path& folder = own.path();
  devices::DeviceSet set = opened("sim:h100");
  const auto measured = measure_repeatedly(set, load_of("step:on=100ms"), {}, {.executions = 51});
  ASSERT_TRUE(measured);
  const EnergyRun* const run = &measured->run;
  EXPECT_EQ(run->repetition->executions, 51);
  EXPECT_EQ(run->repetition->trials, 6);
  RepeatOptions options{.executions = 51};
  options.measure.out = folder / "even.db";
  ASSERT_TRUE(measure_repeatedly(set, load_of("step:on=100ms"), {}, options));
  for (int trial = 1; trial <= 6; ++trial) {
    const auto file = store::read_run_file(folder / fmt::format("even.{}.db", trial));
    ASSERT_TRUE(file);
    std::size_t busy = 0;
    for (const ActivityInterval& work : file->devices.front().recording.activity) {
      busy += static_cast<std::size_t>(std::lround(seconds_between(work.begin, work.end) / 0.1));
    }
    EXPECT_GE(busy, 8U) << trial;
    EXPECT_LE(busy, 9U) << trial;
  }
}

}  // namespace
}  // namespace truewatt::measure
