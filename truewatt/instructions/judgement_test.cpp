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

TEST(RowThatMayBeNothing, IsOneWiderThanItsEnergyAndThanAFifthOfAPicojoule) {
  Row row;
  EXPECT_FALSE(may_be_nothing(row)) << "a row without an energy has other reasons";
  row.dynamic_j = picojoules(0.1, 0.15);
  EXPECT_FALSE(may_be_nothing(row)) << "it is known to 0.2 pJ";
  row.dynamic_j = picojoules(3.0, 5.7);
  EXPECT_TRUE(may_be_nothing(row));
  row.dynamic_j = picojoules(3.0, 2.9);
  EXPECT_FALSE(may_be_nothing(row));
}

}  // namespace
}  // namespace truewatt::instructions
