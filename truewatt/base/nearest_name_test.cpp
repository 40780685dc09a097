#include "truewatt/base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace truewatt {
namespace {

TEST(NearestName, IsTheOneWithTheFewestEdits) {
  const std::vector<std::string> names = {"idle_w", "max_w", "sleep_w"};
  EXPECT_EQ(nearest_name("idle", names), "idle_w");
  EXPECT_EQ(nearest_name("maxw", names), "max_w");
  EXPECT_EQ(nearest_name("asleep_w", names), "sleep_w");
  EXPECT_EQ(nearest_name("max_w", names), "max_w");
}

TEST(NearestName, IsTheFirstOfSeveralAndEmptyWithoutAny) {
  EXPECT_EQ(nearest_name("l3", std::vector<std::string>{"l1", "l2"}), "l1");
  EXPECT_EQ(nearest_name("l3", {}), "");
}

TEST(CloseName, IsASlipOfTheFinger) {
  const std::vector<std::string> names = {"measure", "h100", "a100", "k20"};
  EXPECT_EQ(close_name("mesure", names), "measure");
  EXPECT_EQ(close_name("H100", names), "h100");
  EXPECT_EQ(close_name("h1000", names), "h100");
  for (const char* other : {"foo", "", "x", "train.py"}) {
    EXPECT_FALSE(close_name(other, names)) << other;
  }
}

TEST(NearestNames, AreTheNearestInOrder) {
  const std::vector<std::string> names = {"TITAN V", "RTX 4090", "RTX 3090", "RTX 5000"};
  EXPECT_EQ(nearest_names("RTX 3091", names, 2),
            (std::vector<std::string>{"RTX 3090", "RTX 4090"}));
  EXPECT_EQ(nearest_names("x", names, 9).size(), 4U);
  EXPECT_TRUE(nearest_names("x", {}, 3).empty());
}

}  // namespace
}  // namespace truewatt
