#include "truewatt/nvml_sim/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::nvml_sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SimConfiguration, DefaultIsOneIdleH100) {
  const auto configuration = parse_configuration({});
  ASSERT_TRUE(configuration.has_value());
  ASSERT_THAT(configuration->devices, SizeIs(1));
  EXPECT_EQ(configuration->devices[0].name, "h100");
  EXPECT_EQ(configuration->load.has_value(), false);
}

TEST(SimConfiguration, ListsDevicesWithAndWithoutPrefix) {
  const auto configuration = parse_configuration({"a100,sim:gh200", "77", "level=0.5"});
  ASSERT_TRUE(configuration.has_value());
  ASSERT_THAT(configuration->devices, SizeIs(2));
  EXPECT_EQ(configuration->devices[0].name, "a100");
  EXPECT_EQ(configuration->devices[1].name, "gh200");
  EXPECT_EQ(configuration->seed, 77U);
  EXPECT_EQ(configuration->load->level, 0.5);
}

TEST(SimConfiguration, EqualBoardsHaveDistinctUuidsAndTheFirstKeepsItsOwn) {
  const auto two = parse_configuration({"a100,a100", {}, {}});
  const auto one = parse_configuration({"a100", {}, {}});
  EXPECT_EQ(two->devices[0].uuid, one->devices[0].uuid);
  EXPECT_NE(two->devices[1].uuid, two->devices[0].uuid);
  EXPECT_THAT(two->devices[1].uuid, ::testing::StartsWith("GPU-"));
}

TEST(SimConfiguration, AnEmptyListIsAMachineWithoutGpu) {
  EXPECT_THAT(parse_configuration({"", {}, {}})->devices, IsEmpty());
}

TEST(SimConfiguration, ErrorsNameTheVariableAndItsValue) {
  const auto device = parse_configuration({"a100,nosuch", {}, {}});
  EXPECT_THAT(device.error().message, HasSubstr("TRUEWATT_SIM_DEVICES"));
  EXPECT_THAT(device.error().message, HasSubstr("nosuch"));
  const auto seed = parse_configuration({{}, "12x", {}});
  EXPECT_THAT(seed.error().message, HasSubstr("TRUEWATT_SIM_SEED: '12x'"));
  const auto load = parse_configuration({{}, {}, "level=7"});
  EXPECT_THAT(load.error().message, HasSubstr("TRUEWATT_SIM_LOAD"));
}

}  // namespace
}  // namespace truewatt::nvml_sim
