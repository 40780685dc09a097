#include "truewatt/store/profile_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "truewatt/testing/example_profile.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

class ProfileFileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("truewatt-{}-{}", test->name(), getpid());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(ProfileFileTest, FindsWhatWasSavedForTheDevice) {
  const Profile profile = example_profile();
  EXPECT_FALSE(find_profile(folder_, profile.device)->has_value()) << "nothing was saved yet";
  const auto path = save_profile(folder_, profile);
  ASSERT_TRUE(path) << path.error().message;
  const auto found = find_profile(folder_, profile.device);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_TRUE((*found)->same_driver);
  EXPECT_EQ((*found)->path, *path);
  EXPECT_EQ((*found)->profile.device, profile.device);
  DeviceIdentity other = profile.device;
  other.uuid = "GPU-1_2";
  EXPECT_FALSE(find_profile(folder_, other)->has_value());
}

TEST_F(ProfileFileTest, SaysWhenTheProfileWasMadeUnderAnotherDriver) {
  Profile profile = example_profile();
  for (const auto& [driver, created] :
       {std::pair("535.1", "2026-01-01"), {"550.2", "2026-03-01"}, {"545.9", "2026-02-01"}}) {
    profile.device.driver = driver;
    profile.created = created;
    ASSERT_TRUE(save_profile(folder_, profile));
  }
  DeviceIdentity now = profile.device;
  now.driver = "580.65";
  const auto found = find_profile(folder_, now);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_FALSE((*found)->same_driver);
  EXPECT_EQ((*found)->profile.device.driver, "550.2") << "the newest by its creation";
}

TEST_F(ProfileFileTest, ReplacesAnOlderProfile) {
  Profile profile = example_profile();
  ASSERT_TRUE(save_profile(folder_, profile));
  profile.duration_s = 77;
  ASSERT_TRUE(save_profile(folder_, profile));
  EXPECT_EQ((*find_profile(folder_, profile.device))->profile.duration_s, 77);
  const auto files = std::filesystem::directory_iterator(folder_ / "profiles");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(ProfileFileTest, StaysInItsFolderWhateverTheUuid) {
  Profile profile = example_profile();
  profile.device.uuid = "../../etc/x";
  profile.device.driver = std::string("a/b\0@", 5);
  const auto path = save_profile(folder_, profile);
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_EQ(path->parent_path(), folder_ / "profiles");
  EXPECT_TRUE(find_profile(folder_, profile.device)->has_value());
}

TEST_F(ProfileFileTest, ReportsADamagedProfileOfTheSameDriverOnly) {
  const Profile profile = example_profile();
  const auto path = save_profile(folder_, profile);
  std::ofstream(*path) << "{";
  const auto damaged = find_profile(folder_, profile.device);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, Errc::parse);
  EXPECT_THAT(damaged.error().message, HasSubstr(path->string()));
  DeviceIdentity newer = profile.device;
  newer.driver = "999";
  EXPECT_FALSE(find_profile(folder_, newer)->has_value());
}

TEST_F(ProfileFileTest, NeverSavesWhatItCannotRead) {
  Profile profile = example_profile();
  profile.duration_s = std::numeric_limits<double>::quiet_NaN();
  const auto saved = save_profile(folder_, profile);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, Errc::invalid_argument);
  EXPECT_THAT(saved.error().message, HasSubstr("duration_s"));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(ProfileFileTest, SaysWhyItCannotSave) {
  std::ofstream(folder_) << "a file where a folder should be";
  const auto saved = save_profile(folder_, example_profile());
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, Errc::io);
  EXPECT_THAT(saved.error().message, HasSubstr((folder_ / "profiles").string()));
}

TEST_F(ProfileFileTest, KeepsCalibrationsBySource) {
  Calibration calibration = example_calibration();
  ASSERT_TRUE(save_calibration(folder_, calibration));
  const auto found = find_calibration(folder_, calibration.device, kCalibratedSource);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_TRUE((*found)->same_driver);
  EXPECT_EQ((*found)->calibration.gain.value, calibration.gain.value);
  EXPECT_FALSE(find_calibration(folder_, calibration.device, kProfiledSource)->has_value());
  DeviceIdentity newer = calibration.device;
  newer.driver = "999";
  EXPECT_FALSE((*find_calibration(folder_, newer, kCalibratedSource))->same_driver);
}

TEST(DefaultDirectory, FollowsTheEnvironment) {
  const char* home = std::getenv("HOME");
  const std::string old_home = home == nullptr ? "" : home;
  const char* data = std::getenv("XDG_DATA_HOME");
  const std::string old_data = data == nullptr ? "" : data;
  setenv("HOME", "/home/u", 1);
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(default_directory().value(), "/data/truewatt");
  setenv("XDG_DATA_HOME", "relative", 1);
  EXPECT_EQ(default_directory().value(), "/home/u/.local/share/truewatt");
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(default_directory().value(), "/home/u/.local/share/truewatt");
  unsetenv("HOME");
  EXPECT_EQ(default_directory().error().code, Errc::unavailable);
  if (home != nullptr) setenv("HOME", old_home.c_str(), 1);
  if (data != nullptr) setenv("XDG_DATA_HOME", old_data.c_str(), 1);
}

}  // namespace
}  // namespace truewatt::store
