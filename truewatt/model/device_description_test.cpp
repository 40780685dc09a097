#include "truewatt/model/device_description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace truewatt {
namespace {

TEST(BuiltinDevices, AreValidAndDiffer) {
  const auto names = builtin_device_names();
  EXPECT_THAT(names, testing::IsSupersetOf({"k20", "a100", "h200"}));
  std::set<std::string> uuids;
  for (const std::string& name : names) {
    const auto device = builtin_device(name);
    ASSERT_TRUE(device.has_value()) << name;
    const auto valid = check_description(*device);
    EXPECT_TRUE(valid) << name << ": " << (valid ? "" : valid.error().message);
    uuids.insert(device->uuid);
  }
  EXPECT_EQ(uuids.size(), names.size());
}

TEST(BuiltinDevices, HaveACounterFromVoltaOn) {
  for (const std::string& name : builtin_device_names()) {
    const auto device = builtin_device(name).value();
    bool has_counter = false;
    for (const auto& sensor : device.sensors) has_counter |= counts_energy(sensor.source);
    EXPECT_EQ(has_counter, name != "k20" && name != "k40" && name != "p100") << name;
  }
}

TEST(BuiltinDevices, UnknownNamesAreAbsent) { EXPECT_FALSE(builtin_device("h300").has_value()); }

TEST(DeviceDescription, RefusesASecondSensorOfOneSource) {
  DeviceDescription device;
  device.sensors = {SensorDescription{}, SensorDescription{}};
  const auto valid = check_description(device);
  ASSERT_FALSE(valid);
  EXPECT_THAT(valid.error().message, testing::HasSubstr("power.instant"));
}

TEST(DeviceDescription, NamesTheKeyAndTheValueThatIsWrong) {
  DeviceDescription device;
  device.sensors = {SensorDescription{}};
  device.sensors[0].model.update_period = Seconds(0);
  EXPECT_THAT(check_description(device).error().message, testing::HasSubstr("update_period_s = 0"));
}

TEST(DeviceDescription, RefusesANameForASourceThatIsNotThere) {
  DeviceDescription device;
  device.sensors = {SensorDescription{.alias_of = SourceId{SourceKind::power_average, Scope::gpu}}};
  EXPECT_THAT(check_description(device).error().message,
              testing::HasSubstr("alias_of = power.average"));
}

TEST(Uuid, DependsOnTheContentAlone) {
  EXPECT_EQ(uuid_from_content("abc"), uuid_from_content("abc"));
  EXPECT_NE(uuid_from_content("abc"), uuid_from_content("abd"));
  EXPECT_THAT(
      uuid_from_content("abc"),
      testing::MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
}

}  // namespace
}  // namespace truewatt
