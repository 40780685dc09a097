#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "truewatt/calibrate/calibrate.hpp"

namespace truewatt::calibrate {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::filesystem::path kCalibrationData = TRUEWATT_TEST_DATA;

struct Board {
  const char* folder;
  SourceKind source;
  double gain;  ///< of the board's two plateaus, 0.5 %
};

const Calibration* find(const CalibrationRun& run, SourceKind kind) {
  for (const Calibration& calibration : run.calibrations) {
    if (calibration.source.kind == kind) return &calibration;
  }
  return nullptr;
}

TEST(CalibrateRecorded, GainsAreThoseOfPlateauAndIdle) {
  for (const Board& board : {Board{"step_rtx3090", SourceKind::power_instant, 0.951},
                             Board{"step_a100", SourceKind::power_instant, 0.9585},
                             Board{"step_k40m", SourceKind::power_usage, 1.03}}) {
    const auto run = calibrate_files({kCalibrationData / "sc24" / board.folder}, {}, {});
    ASSERT_TRUE(run) << board.folder << ": " << run.error().message;
    const Calibration* calibration = find(*run, board.source);
    ASSERT_NE(calibration, nullptr) << board.folder;
    EXPECT_NEAR(calibration->gain.value, board.gain, 0.005 * board.gain) << board.folder;
    ASSERT_EQ(calibration->levels.size(), 2U) << board.folder;
    for (const CalibrationLevel& level : calibration->levels) {
      const double line = calibration->gain.value * level.meter_w + calibration->offset_w.value;
      EXPECT_NEAR(line, level.sensor_w, 1e-6) << board.folder;
    }
    EXPECT_FALSE(calibration->r_squared) << board.folder;
    EXPECT_THAT(calibration->reasons, Contains(CalibrationReason::linearity_not_tested))
        << board.folder;
    // The meter alone is 1.27 %; two points add 1.4 % and their scatter.
    const double half = 0.5 * (calibration->gain.upper - calibration->gain.lower);
    EXPECT_GT(half / board.gain, 0.0187) << board.folder;
    EXPECT_LT(half / board.gain, 0.03) << board.folder;
  }
}

TEST(CalibrateRecorded, TheSameFolderTwiceIsARepetition) {
  const std::filesystem::path folder = kCalibrationData / "sc24" / "step_a100";
  const auto run = calibrate_files({folder, folder}, {}, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(find(*run, SourceKind::power_instant)->levels.size(), 4U);
}

TEST(CalibrateRecorded, ALogWithoutMeterIsAnErrorThatSaysSo) {
  const auto run =
      calibrate_files({kCalibrationData / "sc24" / "torture_nvidia_smi_log.csv"}, {}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::invalid_argument);
  EXPECT_THAT(run.error().message, HasSubstr("--meter"));
}

TEST(CalibrateRecorded, DifferentBoardsAreNotOne) {
  Recording first;
  first.device.uuid = "GPU-1";
  Recording second;
  second.device.uuid = "GPU-2";
  const auto run = calibrate_recordings({{first, {}}, {second, {}}}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::invalid_argument);
}

}  // namespace
}  // namespace truewatt::calibrate
