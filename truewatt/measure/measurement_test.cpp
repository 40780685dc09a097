#include "truewatt/measure/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/experiment/session.hpp"
#include "truewatt/model/device_description.hpp"

namespace truewatt::measure {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Ge;
using testing::Lt;

Measurement measured(const std::string& device, const std::string& spec, std::uint64_t seed = 1) {
  auto set = devices::open_devices({.selectors = {device}, .seed = seed}, {});
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  const auto schedule = load::parse_schedule(spec, 1);
  EXPECT_TRUE(schedule) << (schedule ? "" : schedule.error().message);
  auto result = measure(*set, *schedule, {}, {});
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return std::move(*result);
}

TEST(Measure, EveryDeviceWithACounterIsResolvedAndItsIntervalHoldsTheTruth) {
  for (const std::string& name : builtin_device_names()) {
    const DeviceDescription device = *builtin_device(name);
    const bool has_counter =
        std::any_of(device.sensors.begin(), device.sensors.end(),
                    [](const SensorDescription& s) { return counts_energy(s.source); });
    const Measurement measurement = measured("sim:" + name, "step:on=3s");
    const energy::EnergyEstimate& estimate = measurement.run.devices.at(0);
    ASSERT_TRUE(estimate.truth) << name;
    if (!has_counter) continue;
    EXPECT_TRUE(estimate.valid) << name;
    // The counter of a GH200 counts the module's energy, and its average the GPU's.
    ASSERT_EQ(estimate.energy.has_value(), name != "gh200") << name;
    EXPECT_EQ(estimate.resolved, name != "gh200") << name;
    if (name == "gh200") continue;
    EXPECT_LE(estimate.energy->interval.lower, estimate.truth->value()) << name;
    EXPECT_GE(estimate.energy->interval.upper, estimate.truth->value()) << name;
  }
}

// This counter looks once a millisecond: of work in step with that it counts 8 % too much or 24 %
// too little, and an instant reading that cannot be in step says so.
TEST(Measure, AFastRhythmIsResolvedOnlyWhereAnotherSourceAgrees) {
  int resolved = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto locked = measured("sim:rtx3090", "square:period=2ms,duty=0.8,duration=1s", seed);
    EXPECT_FALSE(locked.run.devices.at(0).resolved);
    EXPECT_THAT(locked.run.devices.at(0).reasons,
                testing::Contains(testing::AnyOf(energy::Reason::phase_lock_not_excluded,
                                                 energy::Reason::sources_disagree)));
    const auto free = measured("sim:rtx3090", "square:period=11.3ms,duty=0.8,duration=1.13s", seed);
    resolved += free.run.devices.at(0).resolved ? 1 : 0;
  }
  EXPECT_GE(resolved, 1);
}

// What a GH200 calls the GPU's instant power is the module's, as its counter is: two of three
// sources are no majority about the GPU.
TEST(Measure, AModulesPowerIsNoEvidenceOfItsGpus) {
  const energy::EnergyEstimate estimate =
      measured("sim:gh200", "square:period=200ms,duty=0.5,duration=3s").run.devices.at(0);
  EXPECT_FALSE(estimate.energy);
  EXPECT_THAT(estimate.reasons, testing::Contains(energy::Reason::sources_disagree));
}

TEST(Measure, WithoutItsGainErrorTheCounterIsRightToAPerMille) {
  const Measurement measurement = measured("sim:h100", "step:on=3s");
  const energy::EnergyEstimate& estimate = measurement.run.devices.at(0);
  EXPECT_NEAR(estimate.energy->interval.value / estimate.truth->value(), 1.0, 0.001);
}

TEST(Measure, IntervalWithoutTheGainCoversTheTruthOverManySeeds) {
  int covered = 0;
  const int trials = 60;
  for (int seed = 1; seed <= trials; ++seed) {
    const auto measurement = measured("sim:h200", "step:on=1s", static_cast<std::uint64_t>(seed));
    const energy::EnergyEstimate& estimate = measurement.run.devices.at(0);
    ASSERT_TRUE(estimate.energy);
    double gain = 0.0;
    for (const auto& term : estimate.budget) {
      if (uncertainty::is_scale(term.cause)) gain = term.u;
    }
    const double sd = std::sqrt(std::pow(estimate.energy->standard_uncertainty, 2) - gain * gain);
    const double error = estimate.energy->interval.value - estimate.truth->value();
    covered += std::abs(error) <= kCoverageFactor95 * sd ? 1 : 0;
  }
  // 95 % of 60, three binomial standard deviations below: 52.
  EXPECT_GE(covered, 52);
}

TEST(Measure, IsDeterministicUnderItsSeed) {
  const Measurement a = measured("sim:a100", "square:period=30ms,duration=1s", 7);
  const Measurement b = measured("sim:a100", "square:period=30ms,duration=1s", 7);
  const Measurement c = measured("sim:a100", "square:period=30ms,duration=1s", 8);
  EXPECT_EQ(a.run.devices[0].energy->interval.value, b.run.devices[0].energy->interval.value);
  EXPECT_EQ(a.run.start, b.run.start);
  EXPECT_NE(a.run.devices[0].energy->interval.value, c.run.devices[0].energy->interval.value);
}

TEST(Measure, SeveralDevicesHaveATotal) {
  auto set = devices::open_devices({.selectors = {"sim:h100", "sim:a100"}}, {});
  ASSERT_TRUE(set);
  const auto result = measure(*set, *load::parse_schedule("step:on=1s", 1), {}, {});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->run.devices.size(), 2U);
  const double sum =
      result->run.devices[0].energy->interval.value + result->run.devices[1].energy->interval.value;
  EXPECT_NEAR(result->run.total.energy->interval.value, sum, 1e-9);
}

/// Seconds of idle before the load, from the one before it or the recording's begin on.
std::vector<double> idles_before_runs(devices::DeviceSet& set, int runs) {
  const auto schedule = load::parse_schedule("step:on=1s", 1).value();
  auto loads = experiment::prepare_loads(set, schedule, {}, {}).value();
  std::vector<double> idles;
  std::optional<HostTime> end;
  for (int i = 0; i < runs; ++i) {
    const Recording recording = measure(set, loads, schedule, {}).value().recordings.front();
    const Window& load = recording.windows.front();
    idles.push_back(seconds_between(end.value_or(recording.traces.front().begin), load.begin));
    EXPECT_GT(seconds_between(recording.traces.front().begin, load.begin), 1.19);
    end = load.end;
  }
  return idles;
}

TEST(Measure, IdleBeforeALoadIsAsLongAsReadingsRemember) {
  auto set = devices::open_devices({.selectors = {"sim:k20"}}, {}).value();
  // Nobody knows how long they do.
  EXPECT_THAT(idles_before_runs(set, 2), ElementsAre(DoubleNear(2.2, 0.01), Ge(3.39)));
  const auto source = [](double window, double lag) {
    return SourceProfile{
        .source = {SourceKind::power_usage, Scope::gpu},
        .update_period_s = Interval{0.1, 0.1, 0.1, 0.95},
        .fitted = FittedModel{
            {window, window, window, 0.95}, {lag, lag, lag, 0.95}, {window / 2 + lag, 0, 0, 0.95}}};
  };
  set.devices.front().known.profile = Profile{.sources = {source(0, 0.84)}};
  EXPECT_THAT(idles_before_runs(set, 2),
              ElementsAre(DoubleNear(1.2 + 5 * 0.84, 0.01), Ge(1.2 + 5 * 0.84 - 0.01)));
  set.devices.front().known.profile = Profile{.sources = {source(1, 0)}};
  EXPECT_THAT(idles_before_runs(set, 2),
              ElementsAre(DoubleNear(2.2, 0.01), AllOf(Ge(2.39), Lt(3.3))));
}

TEST(Devices, SimulatedAndRealDoNotMix) {
  const auto set = devices::open_devices({.selectors = {"sim:h100", "0"}}, {});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, Errc::invalid_argument);
}

TEST(Devices, WithoutADriverTheErrorNamesTheSimulator) {
  devices::Environment environment;
  environment.nvml_library = "/nonexistent/libnvidia-ml.so.1";
  const auto set = devices::open_devices({}, environment);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, Errc::unavailable);
  EXPECT_THAT(set.error().message, testing::HasSubstr("sim:h100"));
}

}  // namespace
}  // namespace truewatt::measure
