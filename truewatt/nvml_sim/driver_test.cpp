#include "truewatt/nvml_sim/driver.hpp"

#include <gtest/gtest.h>

#include "truewatt/simgpu/virtual_clock.hpp"

namespace truewatt::nvml_sim {
namespace {

ConfigurationText naming(const char* devices) { return {.devices = devices}; }

TEST(Driver, DeviceInUseOutlivesAnInitWithAnotherConfiguration) {
  Driver driver(std::make_shared<simgpu::VirtualClock>());
  ASSERT_TRUE(driver.init(naming("a100,h100")));
  const auto in_use = driver.device(1);
  ASSERT_TRUE(driver.shutdown());
  ASSERT_TRUE(driver.init(naming("v100")));
  EXPECT_TRUE(in_use->state());
  EXPECT_EQ(driver.find(in_use.get()), nullptr);
  EXPECT_EQ(driver.device(1), nullptr);
}

TEST(Driver, ForgetsTheFailureOfAnInitOnceOneSucceeds) {
  Driver driver(std::make_shared<simgpu::VirtualClock>());
  ASSERT_FALSE(driver.init(naming("nonsense")));
  EXPECT_NE(driver.last_error(), "");
  ASSERT_TRUE(driver.init(naming("a100")));
  EXPECT_EQ(driver.last_error(), "");
}

}  // namespace
}  // namespace truewatt::nvml_sim
