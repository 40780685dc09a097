#include "truewatt/calibrate/calibrate_live.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/model/device_description.hpp"

namespace truewatt::calibrate {
namespace {

using testing::Contains;
using testing::Not;

Result<CalibrationRun> calibrated(const std::string& device, std::uint64_t seed,
                                  int repetitions = 8) {
  auto set = devices::open_devices({.selectors = {device}, .seed = seed}, {});
  if (!set) return Unexpected(set.error());
  return calibrate_live(*set, nullptr, {}, {.repetitions = repetitions, .seed = seed});
}

/// Gain and offset that the description gives a source.
const ObservationModel& truth_of(const DeviceDescription& device, SourceId source) {
  for (const SensorDescription& sensor : device.sensors) {
    if (sensor.source == source) return sensor.model;
  }
  throw std::runtime_error("source is missing");
}

bool covers(const Interval& interval, double truth) {
  return interval.lower <= truth && truth <= interval.upper;
}

TEST(CalibrateLive, TheScheduleIsThatOfThePaper) {
  const auto schedule = calibration_schedule(8, 1);
  EXPECT_EQ(schedule.steps.size(), 2U * 48 - 1);
  EXPECT_GT(schedule.duration, Seconds(48 * 6 + 47 * 5));
  EXPECT_LT(schedule.duration, Seconds(48 * 6 + 47 * 6));
  const auto other = calibration_schedule(8, 2);
  EXPECT_NE(schedule.duration, other.duration);
}

TEST(CalibrateLive, GainAndOffsetOfSimulatedBoardsLieInTheirIntervals) {
  for (const char* name : {"rtx3090", "a100", "rtx4090"}) {
    const auto device = builtin_device(name).value();
    for (const std::uint64_t seed : {1U, 2U}) {
      const auto run = calibrated(std::string("sim:") + name, seed);
      ASSERT_TRUE(run) << name << ": " << run.error().message;
      EXPECT_TRUE(run->refused.empty()) << name;
      for (const Calibration& calibration : run->calibrations) {
        const auto& truth = truth_of(device, calibration.source);
        const std::string what = name + (" " + to_string(calibration.source));
        EXPECT_TRUE(covers(calibration.gain, truth.gain)) << what << calibration.gain.value;
        EXPECT_TRUE(covers(calibration.offset_w, truth.offset.value()))
            << what << calibration.offset_w.value;
        // Not the first idle, before which the simulated board slept.
        EXPECT_EQ(calibration.levels.size(), 95U) << what;
        EXPECT_GT(calibration.r_squared.value(), 0.9999) << what;
        // The meter's 1.27 % and next to nothing.
        EXPECT_LT(calibration.gain.upper / calibration.gain.value - 1.0, 0.015) << what;
        EXPECT_THAT(calibration.reasons, Not(Contains(CalibrationReason::not_linear))) << what;
      }
    }
  }
}

TEST(CalibrateLive, ASeedGivesTheSameCalibration) {
  const auto a = calibrated("sim:rtx3090", 3, 1).value();
  const auto b = calibrated("sim:rtx3090", 3, 1).value();
  EXPECT_EQ(a.calibrations.front().levels, b.calibrations.front().levels);
}

TEST(CalibrateLive, AMeterIsOnOneGpu) {
  auto set = devices::open_devices({.selectors = {"sim:a100", "sim:v100"}}, {}).value();
  EXPECT_EQ(calibrate_live(set, nullptr, {}, {}).error().code, Errc::invalid_argument);
}

}  // namespace
}  // namespace truewatt::calibrate
