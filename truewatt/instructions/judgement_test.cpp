#include "truewatt/instructions/judgement.hpp"

#include <gtest/gtest.h>

namespace truewatt::instructions {
namespace {

/// Picojoules, plus or minus so many.
Interval picojoules(double value, double half_width) {
  return {1e-12 * value, 1e-12 * (value - half_width), 1e-12 * (value + half_width), 0.95};
}

TEST(RowWidth, IsTheShareOfTheEnergyThatIsNotKnown) {
  Row row;
  EXPECT_FALSE(is_wide(row, 0.25)) << "without an energy a row is not wide";
  row.dynamic_j = picojoules(4.0, 0.8);
  EXPECT_FALSE(is_wide(row, 0.25));
  EXPECT_TRUE(is_wide(row, 0.1));
  row.above_spin_j = picojoules(4.0, 1.2);
  EXPECT_TRUE(is_wide(row, 0.25)) << "the wider of its energies counts";
}

TEST(RowWidth, DoesNotMatterBelowAFifthOfAPicojoule) {
  Row row;
  row.dynamic_j = picojoules(0.1, 0.19);
  EXPECT_FALSE(is_wide(row, 0.05));
  row.dynamic_j = picojoules(-0.1, 0.21);
  EXPECT_TRUE(is_wide(row, 0.05));
}

}  // namespace
}  // namespace truewatt::instructions
