#include "truewatt/model/catalogue_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/model/device_description.hpp"
#include "truewatt/model/metered_boards.hpp"

namespace truewatt::catalogue {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const SourceId kPowerUsage{SourceKind::power_usage, Scope::gpu};
const SourceId kPowerAverage{SourceKind::power_average, Scope::gpu};
const SourceId kPowerInstant{SourceKind::power_instant, Scope::gpu};
const SourceId kEnergyCounter{SourceKind::energy_counter, Scope::gpu};

DeviceIdentity device(std::string name, std::string driver = "580.65.06") {
  return {.name = std::move(name), .uuid = "GPU-1", .driver = std::move(driver)};
}

SourceProfile source(const std::optional<Profile>& profile, SourceId id) {
  const SourceProfile* found = profile ? find_source(*profile, id) : nullptr;
  EXPECT_NE(found, nullptr) << to_string(id);
  return found ? *found : SourceProfile{};
}

void expect_interval(const std::optional<Interval>& interval, double value, double lower,
                     double upper) {
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->value, value, 1e-9);
  EXPECT_NEAR(interval->lower, lower, 1e-9);
  EXPECT_NEAR(interval->upper, upper, 1e-9);
}

TEST(FallbackProfile, OfAVoltaIsThePublishedOneWithWideIntervals) {
  const auto profile = fallback_profile(device("Tesla V100-SXM2-16GB"));
  const SourceProfile instant = source(profile, kPowerInstant);
  expect_interval(instant.update_period_s, 0.02, 0.019, 0.021);
  expect_interval(instant.averaging_window_s, 0.01, 0.007, 0.013);
  expect_interval(instant.rise_time_s, 0.0795, 0.073, 0.086);
  EXPECT_FALSE(instant.time_constant_s.has_value());
  EXPECT_EQ(instant.response, ResponseClass::instant);
  EXPECT_EQ(instant.verdict, SourceVerdict::part_time);
  EXPECT_DOUBLE_EQ(instant.duty.value(), 0.5);
  EXPECT_THAT(instant.reasons,
              ElementsAre(ProfileReason::from_catalogue, ProfileReason::uncalibrated_gain));
  EXPECT_EQ(find_source(*profile, kPowerAverage), nullptr) << "Fig. 14: not supported";
}

TEST(FallbackProfile, SaysWhatItIsAndRecommendsNothing) {
  const auto profile = fallback_profile(device("NVIDIA H200"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->device.uuid, "GPU-1");
  EXPECT_FALSE(profile->recommended_source.has_value());
  EXPECT_EQ(profile->duration_s, 0.0);
  EXPECT_EQ(profile->created, "2024-11-17T00:00:00Z");
  EXPECT_EQ(profile->sources.size(), 3U) << "no energy counter: nothing is published about it";
  for (const SourceProfile& entry : profile->sources) {
    EXPECT_THAT(entry.reasons, Contains(ProfileReason::from_catalogue));
    EXPECT_FALSE(entry.catalogue.has_value()) << "it was not measured";
  }
}

TEST(FallbackProfile, GainAndOffsetAreThePriorOfFigure9) {
  const SourceProfile usage = source(fallback_profile(device("NVIDIA A10")), kPowerUsage);
  const Interval gain = interval95(board_prior().gain);
  const Interval offset = interval95(board_prior().offset_w);
  expect_interval(usage.gain, 1.0, gain.lower, gain.upper);
  expect_interval(usage.offset_w, 0.0, offset.lower, offset.upper);
  EXPECT_NEAR(gain.upper, 1.0787, 0.0002);
  EXPECT_NEAR(offset.upper, 12.41, 0.02);
}

TEST(FallbackProfile, TheFilterTakesThePlaceOfTheWindowOnGa100AndHopper) {
  for (const char* name : {"NVIDIA A100-SXM4-80GB", "NVIDIA A30", "NVIDIA H100 PCIe"}) {
    const SourceProfile instant = source(fallback_profile(device(name)), kPowerInstant);
    ASSERT_TRUE(instant.time_constant_s) << name;
    EXPECT_NEAR(instant.time_constant_s->value, 0.013, 0.0002) << name;
    // Half of 25 ms +- 30 %.
    EXPECT_NEAR(instant.time_constant_s->lower, 0.00875, 1e-9) << name;
    EXPECT_NEAR(instant.time_constant_s->upper, 0.01625, 1e-9) << name;
    EXPECT_EQ(instant.averaging_window_s->value, 0.0);
    EXPECT_EQ(instant.response, ResponseClass::exponential);
    EXPECT_EQ(instant.verdict, SourceVerdict::part_time);
    EXPECT_NEAR(instant.duty.value(), 0.26, 0.005) << name;
    EXPECT_THAT(instant.reasons, Contains(ProfileReason::catalogue_contradicted));
  }
}

TEST(FallbackProfile, ContradictingRowsWidenItAndLeaveTheDutyOpen) {
  const SourceProfile turing = source(fallback_profile(device("Quadro RTX 8000")), kPowerInstant);
  expect_interval(turing.averaging_window_s, 0.1, 0.02, 0.13);
  EXPECT_FALSE(turing.duty.has_value());
  EXPECT_TRUE(turing.verdict.empty());
  EXPECT_THAT(turing.reasons, Contains(ProfileReason::duty_unknown));
  EXPECT_THAT(turing.reasons, Contains(ProfileReason::catalogue_contradicted));

  const SourceProfile maxwell = source(fallback_profile(device("Tesla M40")), kPowerUsage);
  expect_interval(maxwell.update_period_s, 0.1, 0.031, 0.105);
  // Rises of 38 ms (M40) to 349 ms (TITAN X), over ln 9; Fig. 7's 200 ms between them.
  expect_interval(maxwell.time_constant_s, 0.2 / std::log(9.0), 0.038 / std::log(9.0),
                  0.349 / std::log(9.0));
}

TEST(FallbackProfile, TrailingAveragesLookAllTheTimeWhateverTheirInterval) {
  const SourceProfile average =
      source(fallback_profile(device("NVIDIA GeForce RTX 4090")), kPowerAverage);
  expect_interval(average.averaging_window_s, 1.0, 0.7, 1.3);
  EXPECT_EQ(average.response, ResponseClass::ramp);
  EXPECT_EQ(average.verdict, SourceVerdict::trailing);
  EXPECT_EQ(average.duty, 1.0);
}

TEST(FallbackProfile, TheDriverTellsWhichOfTheBehavioursItIs) {
  const auto window = [](const char* driver, const std::vector<SourceId>& answering) {
    return source(fallback_profile(device("NVIDIA RTX A6000", driver), answering), kPowerUsage)
        .averaging_window_s->value;
  };
  EXPECT_EQ(window("525.85.05", {}), 1.0);
  EXPECT_EQ(window("530.41.03", {}), 0.1);
  EXPECT_EQ(window("535.54.03", {}), 1.0);
  EXPECT_EQ(window("530.41.03", {kPowerUsage, kPowerInstant}), 1.0)
      << "what answers beats the version";
}

TEST(FallbackProfile, AnUnknownDriverLeavesAllBehavioursIn) {
  const SourceProfile usage = source(
      fallback_profile(device("NVIDIA GeForce RTX 3090", "470.57.02"), {kPowerUsage}), kPowerUsage);
  EXPECT_THAT(usage.reasons, Contains(ProfileReason::driver_age_unknown));
  EXPECT_DOUBLE_EQ(usage.averaging_window_s->lower, 0.07);
  EXPECT_DOUBLE_EQ(usage.averaging_window_s->upper, 1.3);
  EXPECT_FALSE(usage.duty.has_value());
  EXPECT_THAT(
      source(fallback_profile(device("Tesla T4", "470.57.02"), {kPowerUsage}), kPowerUsage).reasons,
      Not(Contains(ProfileReason::driver_age_unknown)))
      << "Turing is the same under all drivers";
}

TEST(FallbackProfile, HoldsTheSourcesThatAnswer) {
  const auto profile =
      fallback_profile(device("NVIDIA H100 PCIe"), {kPowerInstant, kEnergyCounter});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->sources.size(), 1U);
  EXPECT_EQ(profile->sources[0].source, kPowerInstant);
  EXPECT_FALSE(fallback_profile(device("NVIDIA H100 PCIe"), {kEnergyCounter}));
}

TEST(FallbackProfile, OfAKeplerIsTheCapacitorOfItsModel) {
  const SourceProfile k40 =
      source(fallback_profile(device("Tesla K40m", "470.57.02")), kPowerUsage);
  expect_interval(k40.time_constant_s, 0.052, 0.7 * 0.052, 1.3 * 0.052);
  expect_interval(k40.update_period_s, 0.015, 0.01425, 0.01575);
  EXPECT_EQ(k40.verdict, SourceVerdict::complete)
      << "a lag of 36 ms or more behind updates every 15 ms";
  EXPECT_EQ(k40.duty, 1.0);
  const SourceProfile k20 =
      source(fallback_profile(device("Tesla K20Xm", "470.57.02")), kPowerUsage);
  expect_interval(k20.time_constant_s, 0.84, 0.7 * 0.84, 1.3 * 0.84);
}

TEST(FallbackProfile, OfAGh200SeesTheModule) {
  const auto profile = fallback_profile(device("NVIDIA GH200 480GB"));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->sources.size(), 2U);
  const SourceProfile instant = source(profile, kPowerInstant);
  EXPECT_THAT(instant.reasons, Contains(ProfileReason::module_scope));
  EXPECT_DOUBLE_EQ(instant.duty.value(), 0.2);
  const SourceProfile cpu = source(profile, {SourceKind::power_instant, Scope::cpu});
  EXPECT_DOUBLE_EQ(cpu.duty.value(), 0.1);
  EXPECT_THAT(cpu.reasons, Not(Contains(ProfileReason::module_scope)));
}

TEST(FallbackProfile, AnEstimateByTheDriverIsUnusable) {
  const SourceProfile usage =
      source(fallback_profile(device("Tesla M2090", "390.157"), {kPowerUsage}), kPowerUsage);
  EXPECT_EQ(usage.response, ResponseClass::estimated);
  EXPECT_EQ(usage.verdict, SourceVerdict::unusable);
  EXPECT_FALSE(usage.update_period_s.has_value());
}

TEST(FallbackProfile, IsNothingForWhatTheCatalogueDoesNotKnow) {
  EXPECT_FALSE(fallback_profile(device("NVIDIA B200")));
  EXPECT_FALSE(fallback_profile(device("sim:example")));
  EXPECT_FALSE(fallback_profile(device("Tesla C2050 / C2070", "390.157"))) << "nothing supported";
}

/// True when the interval holds the value; a source without the quantity is not contradicted.
bool holds(const std::optional<Interval>& interval, Seconds value) {
  return !interval || (interval->lower <= value.count() && value.count() <= interval->upper);
}

// The built-in devices are as measured where there are measurements. The H200's client shows a new
// reading every 100 ms, however often its source has one.
TEST(FallbackProfile, HoldsTheTruthOfTheBuiltInDevices) {
  int checked = 0;
  for (const std::string& name : builtin_device_names()) {
    const DeviceDescription truth = builtin_device(name).value();
    std::vector<SourceId> answering;
    for (const SensorDescription& sensor : truth.sensors) answering.push_back(sensor.source);
    const auto profile = fallback_profile(device("sim:" + name, "simulated"), answering);
    ASSERT_TRUE(profile) << name;
    for (const SensorDescription& sensor : truth.sensors) {
      const SourceProfile* published = find_source(*profile, sensor.source);
      if (published == nullptr) continue;
      ++checked;
      const std::string where = name + " " + to_string(sensor.source);
      const Seconds seen = std::max(sensor.model.update_period, sensor.client_cache);
      EXPECT_TRUE(holds(published->update_period_s, seen)) << where;
      EXPECT_TRUE(holds(published->averaging_window_s, sensor.model.averaging_window)) << where;
      EXPECT_TRUE(holds(published->time_constant_s, sensor.model.time_constant)) << where;
      EXPECT_TRUE(holds(published->delay_s, sensor.model.delay)) << where;
      EXPECT_GE(sensor.model.gain, published->gain->lower) << where;
      EXPECT_LE(sensor.model.gain, published->gain->upper) << where;
      EXPECT_LE(std::abs(sensor.model.offset.value()), published->offset_w->upper) << where;
    }
  }
  EXPECT_EQ(checked, 24) << "power sources of the eleven devices that the catalogue speaks of";
}

}  // namespace
}  // namespace truewatt::catalogue
