#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "truewatt/characterize/scope_experiment.hpp"
#include "truewatt/identification/profile/scope_findings.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/testing/characterized.hpp"

namespace truewatt::characterize {
namespace {

using testing::Contains;
using testing::Not;

const SourceProfile& source_of(const identification::Characterization& result, SourceId id) {
  const auto* source = find_source(result.profile, id);
  if (source == nullptr) throw std::runtime_error(to_string(id) + " is missing");
  return *source;
}

/// Within what the interval says, doubled: a 95 % interval misses once in twenty.
void expect_about(const std::optional<Interval>& interval, double truth) {
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->value, truth, 2 * (interval->upper - interval->value) + 0.1);
}

TEST(ScopeSchedules, HoldEveryKindOfWorkTwiceAndLastAboutNineSeconds) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 rng(seed);
    const ScopeSchedules schedules = scope_schedules(rng);
    EXPECT_EQ(schedules.cpu.duration, schedules.gpu.duration);
    EXPECT_GT(schedules.cpu.duration.count(), 6.9);
    EXPECT_LT(schedules.cpu.duration.count(), 11.4);
    const auto cpu = load::active_stretches(schedules.cpu);
    const auto gpu = load::active_stretches(schedules.gpu);
    ASSERT_EQ(cpu.size(), 4U);
    ASSERT_EQ(gpu.size(), 4U);
    const auto both = std::count_if(cpu.begin(), cpu.end(), [&gpu](const load::Stretch& stretch) {
      return std::any_of(gpu.begin(), gpu.end(), [&stretch](const load::Stretch& other) {
        return stretch.begin == other.begin && stretch.end == other.end;
      });
    });
    EXPECT_EQ(both, 2);
  }
}

TEST(Scopes, OfAGh200TellModuleFromGpu) {
  const auto result = characterized("sim:gh200");
  EXPECT_LE(result.profile.duration_s, 60.0);
  // The CPU draws 220 W above idle, the GPU 510 W.
  const SourceProfile& instant = source_of(result, {SourceKind::power_instant, Scope::gpu});
  EXPECT_THAT(instant.reasons, Contains(ProfileReason::observes_module));
  expect_about(instant.scopes.value().cpu_response_w, 220);
  expect_about(instant.scopes->gpu_response_w, 510);
  expect_about(instant.scopes->excess_w, 0);
  const SourceProfile& counter = source_of(result, {SourceKind::energy_counter, Scope::gpu});
  EXPECT_THAT(counter.reasons, Contains(ProfileReason::observes_module));
  expect_about(counter.scopes.value().cpu_response_w, 220);
  const SourceProfile& average = source_of(result, {SourceKind::power_average, Scope::gpu});
  EXPECT_THAT(average.reasons, Not(Contains(ProfileReason::observes_module)));
  expect_about(average.scopes.value().cpu_response_w, 0);
  const SourceProfile& module = source_of(result, {SourceKind::power_average, Scope::module});
  EXPECT_THAT(module.reasons, Not(Contains(ProfileReason::observes_module)));
  expect_about(module.scopes.value().cpu_response_w, 220);
  EXPECT_EQ(result.profile.recommended_source, average.source);
}

TEST(Scopes, OfAGh200ShowHowMuchGoesUnseen) {
  const auto result = characterized("sim:gh200");
  const SourceProfile& gpu = source_of(result, {SourceKind::power_instant, Scope::gpu});
  const SourceProfile& cpu = source_of(result, {SourceKind::power_instant, Scope::cpu});
  EXPECT_NEAR(gpu.duty.value(), 0.2, 0.015);
  EXPECT_NEAR(cpu.duty.value(), 0.1, 0.015);
  expect_about(cpu.averaging_window_s, 0.01);
  expect_about(cpu.scopes.value().cpu_response_w, 220);
  expect_about(cpu.scopes->gpu_response_w, 0);
}

TEST(Scopes, FindANameThatStandsForAnotherSource) {
  const auto result = characterized("sim:gh200");
  const SourceId average{SourceKind::power_average, Scope::gpu};
  const SourceProfile& usage = source_of(result, {SourceKind::power_usage, Scope::gpu});
  EXPECT_EQ(usage.scopes.value().alias_of, average);
  EXPECT_THAT(usage.reasons, Contains(ProfileReason::alias));
  EXPECT_FALSE(source_of(result, average).scopes.value().alias_of);
}

TEST(Scopes, AreNotLookedForOnAPlainGpuUnlessAsked) {
  const SourceId instant{SourceKind::power_instant, Scope::gpu};
  const auto unasked = characterized("sim:a100", {.budget = Seconds(35)});
  EXPECT_FALSE(source_of(unasked, instant).scopes);
  const auto asked = characterized("sim:a100", {.budget = Seconds(35), .scopes = true});
  const SourceProfile& source = source_of(asked, instant);
  ASSERT_TRUE(source.scopes);
  expect_about(source.scopes->cpu_response_w, 0);
  EXPECT_THAT(source.reasons, Not(Contains(ProfileReason::observes_module)));
  const SourceId counter{SourceKind::energy_counter, Scope::gpu};
  EXPECT_EQ(asked.profile.recommended_source, counter) << "complete, and no module's";
}

TEST(Scopes, WithoutCpuWorkNothingIsSaidOfTheCpusSources) {
  const auto result = characterized("sim:gh200", {.budget = Seconds(20)});
  const SourceProfile& cpu = source_of(result, {SourceKind::power_instant, Scope::cpu});
  EXPECT_THAT(cpu.reasons, Contains(ProfileReason::no_cpu_load));
  EXPECT_FALSE(cpu.duty);
}

/// A host's sources as Grace and RAPL show them: means over 50 ms of CPU and module, and a counter
/// of the CPU that ticks every millisecond. CPU 80 to 300 W, GPU 90 to 600 W.
std::string host_file() {
  const std::string path = testing::TempDir() + "truewatt_host.toml";
  std::ofstream(path) << R"(
[power]
sleep_w = 70
idle_w = 90
max_w = 600
cpu_idle_w = 80
cpu_max_w = 300
[[sensor]]
source = "power.average"
scope = "cpu"
update_period_s = 0.05
averaging_window_s = 0.05
noise_w = 2
[[sensor]]
source = "power.average"
scope = "module"
update_period_s = 0.05
averaging_window_s = 0.05
noise_w = 2
[[sensor]]
source = "energy.counter"
scope = "cpu"
update_period_s = 0.001
averaging_window_s = 0
)";
  return "sim:" + path;
}

TEST(Scopes, OfAHostsSourcesComeByTheSameMethod) {
  auto set = devices::open_devices({.selectors = {host_file()}}, {}).value();
  auto gpu = devices::make_load(set, set.devices[0], {}).value();
  auto session = experiment::Session::open(set, {}).value();
  const HostTime origin = set.clock->now();
  session.start();
  const auto experiment = play_scope_experiment(set, *gpu, session, {.cpu_time = Seconds(15)});
  ASSERT_TRUE(experiment);
  session.stop();
  const HostProfile host =
      identification::characterize_host(session.recorder().recordings().at(0), origin, *experiment);
  ASSERT_EQ(host.sources.size(), 3U);
  for (const SourceProfile& source : host.sources) {
    expect_about(source.scopes.value().cpu_response_w, 220);
    expect_about(source.scopes->gpu_response_w, source.source.scope == Scope::cpu ? 0 : 510);
    if (counts_energy(source.source)) continue;
    expect_about(source.averaging_window_s, 0.05);
    EXPECT_NEAR(source.duty.value(), 1.0, 0.03);
  }
}

}  // namespace
}  // namespace truewatt::characterize
