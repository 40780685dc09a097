#include "truewatt/energy/results/work.hpp"

#include <gtest/gtest.h>

namespace truewatt::energy {
namespace {

TEST(Work, SharesTheEnergyAndItsBounds) {
  const Interval one = joules_per_unit({3000, 2970, 3030, 0.95}, {1e6, "tokens"});
  EXPECT_DOUBLE_EQ(one.value, 3e-3);
  EXPECT_DOUBLE_EQ(one.lower, 2.97e-3);
  EXPECT_DOUBLE_EQ(one.upper, 3.03e-3);
}

TEST(Work, PerJouleHasTheBoundsOfTheReciprocal) {
  const auto per_joule = units_per_joule({4, 2, 8, 0.95}, {16, "images"});
  ASSERT_TRUE(per_joule);
  EXPECT_DOUBLE_EQ(per_joule->value, 4);
  EXPECT_DOUBLE_EQ(per_joule->lower, 2);
  EXPECT_DOUBLE_EQ(per_joule->upper, 8);
}

TEST(Work, PerJouleIsAbsentWhereTheEnergyMayBeNothing) {
  EXPECT_FALSE(units_per_joule({1, 0, 2, 0.95}, {16, "images"}));
  EXPECT_FALSE(units_per_joule({1, -1, 3, 0.95}, {16, "images"}));
}

TEST(Work, NamesOneUnit) {
  EXPECT_EQ(singular("tokens"), "token");
  EXPECT_EQ(singular("batches"), "batch");
  EXPECT_EQ(singular("boxes"), "box");
  EXPECT_EQ(singular("passes"), "pass");
  EXPECT_EQ(singular("FLOP"), "FLOP");
  EXPECT_EQ(singular("loss"), "loss");
}

}  // namespace
}  // namespace truewatt::energy
