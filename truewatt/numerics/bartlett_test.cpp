#include "truewatt/numerics/bartlett.hpp"

#include <gtest/gtest.h>

namespace truewatt::numerics {
namespace {

TEST(Bartlett, FallsInALineToNothingBeyondItsReach) {
  EXPECT_DOUBLE_EQ(bartlett_weight(0, 3), 1.0);
  EXPECT_DOUBLE_EQ(bartlett_weight(1, 3), 0.75);
  EXPECT_DOUBLE_EQ(bartlett_weight(3, 3), 0.25);
  EXPECT_DOUBLE_EQ(bartlett_weight(4, 3), 0.0);
  EXPECT_DOUBLE_EQ(bartlett_weight(0, 0), 1.0);
}

}  // namespace
}  // namespace truewatt::numerics
