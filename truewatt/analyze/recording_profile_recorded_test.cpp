// Energies of recorded loads from what the recordings themselves tell of their sources, held
// against the external meter, which neither the profile nor the energy ever sees: gain and offset
// are from the plateau and the idle before it alone.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "truewatt/analyze/analyze.hpp"
#include "truewatt/calibrate/calibrate.hpp"
#include "truewatt/identification/profile/recording_profile.hpp"

namespace truewatt::analyze {
namespace {

const std::filesystem::path kData = TRUEWATT_TEST_DATA;

/// Gain and offset of a board's sources, from its step.
std::vector<Calibration> calibrations_of(const std::string& step) {
  const auto run = calibrate::calibrate_files({kData / "sc24" / step}, {}, {});
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  return run ? run->calibrations : std::vector<Calibration>{};
}

Analysis analyzed(const devices::RecordedInput& input, std::vector<Calibration> calibrations) {
  const energy::Knowledge knowledge{.calibrations = std::move(calibrations)};
  return analyze_recording(input.recording, input.meter, knowledge, {});
}

TEST(RecordingProfile, StepsAreWithinHalfAPercentOfTheMeter) {
  for (const char* step : {"step_rtx3090", "step_a100", "step_k40m"}) {
    const auto input = devices::read_recorded_input(kData / "sc24" / step, {}).value();
    const Analysis analysis = analyzed(input, calibrations_of(step));
    for (const AnalyzedSource& source : analysis.sources) {
      const AnalyzedWindow& window = source.windows.at(0);
      ASSERT_TRUE(window.energy_j) << step << to_string(source.source);
      // On an RTX 3090 it is an average over a second, which nobody tells.
      const bool is_told = source.source.kind != SourceKind::power_usage;
      EXPECT_NEAR(window.energy_j->value / *window.meter_j, 1.0, is_told ? 0.005 : 0.01)
          << step << " " << to_string(source.source);
    }
  }
}

// 52 ms of every 104 ms under a sensor that looks 26 of every 101 ms, which nobody told.
TEST(RecordingProfile, ANearlyLockedTrainIsInDoubt) {
  const auto input = devices::read_recorded_input(kData / "sc24/square_a100", {}).value();
  const Analysis analysis = analyzed(input, calibrations_of("step_a100"));
  const Window whole{input.recording.windows.front().begin, input.recording.windows.back().end, ""};
  const double meter = trace::meter_energy(*input.meter, whole.begin, whole.end)->value();
  const energy::EnergyEstimate& estimate = analysis.combined.value().estimate;
  ASSERT_TRUE(estimate.energy);
  EXPECT_FALSE(estimate.resolved);
  EXPECT_TRUE(has_reason(estimate.reasons, energy::Reason::phase_lock_not_excluded));
  EXPECT_NEAR(estimate.energy->interval.value / meter, 1.0, 0.1);
}

// A model of the average alone does not keep the counter beside it from being told.
TEST(RecordingProfile, OfOneStepLeavesTheCounterThatItDoesNotCover) {
  const auto input = devices::read_recorded_input(kData / "h200/single_1.csv", {}).value();
  const auto profile = identification::profile_of_recording(input.recording);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->sources.size(), 1U);
  EXPECT_EQ(profile->sources[0].source.kind, SourceKind::power_average);
  const Analysis analysis = analyzed(input, {});
  const auto find = [&](SourceKind kind) {
    for (const AnalyzedSource& source : analysis.sources) {
      if (source.source.kind == kind) return source.windows.at(0).energy_j->value;
    }
    return std::nan("");
  };
  EXPECT_NEAR(analysis.combined->estimate.energy->interval.value / find(SourceKind::energy_counter),
              1.0, 0.005);
  EXPECT_NEAR(find(SourceKind::power_samples) / find(SourceKind::energy_counter), 1.0, 0.005);
}

// The trains of an H200, by the profile that `analyze --write-profile` leaves of one of them: a
// burst above idle takes the same by whatever source counts it. Bursts of 2 ms are 8 W above idle
// in the mean, so 1 % of them are 0.08 W of idle.
TEST(RecordingProfile, UnlockedTrainsAgreeBetweenRingAndCounter) {
  const auto profile = identification::profile_of_recording(
      devices::read_recorded_input(kData / "h200/ref_10.csv", {}).value().recording);
  ASSERT_TRUE(profile);
  // J, between the idle lines on both sides of the counter's ticks.
  for (const auto& [file, right] : {std::pair{"h200/ref_2.csv", 0.446},
                                    {"h200/ref_10.csv", 2.236},
                                    {"h200/ref_40.csv", 8.102}}) {
    SCOPED_TRACE(file);
    const auto input = devices::read_recorded_input(kData / file, {}).value();
    const auto& windows = input.recording.windows;
    const Window whole{windows.front().begin, windows.back().end, ""};
    const auto burst = [&](SourceKind kind) {
      const auto estimate = energy::estimate_energy(input.recording, whole, {.profile = &*profile},
                                                    {.source = SourceId{kind, Scope::gpu}});
      EXPECT_EQ(estimate.method, energy::Method::smoothing);
      return estimate.net_energy->interval.value / static_cast<double>(windows.size());
    };
    EXPECT_NEAR(burst(SourceKind::energy_counter) / burst(SourceKind::power_samples), 1.0, 0.01);
    EXPECT_NEAR(burst(SourceKind::energy_counter), right, 0.01 * right);
  }
}

TEST(RecordingProfile, WithoutKnownLoadsThereIsNone) {
  auto input = devices::read_recorded_input(kData / "sc24/step_k40m", {}).value();
  input.recording.windows.clear();
  input.recording.activity.clear();
  EXPECT_FALSE(identification::profile_of_recording(input.recording));
}

}  // namespace
}  // namespace truewatt::analyze
