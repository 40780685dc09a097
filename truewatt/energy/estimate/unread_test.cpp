#include "truewatt/energy/estimate/unread.hpp"

#include <gtest/gtest.h>

#include "truewatt/base/interval.hpp"

namespace truewatt::energy {
namespace {

CourseEnergy known_to(double half_width) {
  const double sd = half_width / kCoverageFactor95;
  return {.joules = 600.0,
          .budget = {{uncertainty::Cause::repeatability, 0.8 * sd},
                     {uncertainty::Cause::unobserved, 0.6 * sd}},
          .standard_uncertainty = sd};
}

// A board of 50 to 450 W has 500 to 4500 J in 10 s, whatever its readings tell.
TEST(WithinReach, IsAllThatTheBoardCanHaveDrawnWhereReadingsTellNothing) {
  const ObservedBoard board{.lowest_w = 50.0, .limit_w = 450.0};
  const CourseEnergy told = within_reach(board, 10.0, known_to(3900.0));
  EXPECT_DOUBLE_EQ(told.joules, 600.0);
  const CourseEnergy untold = within_reach(board, 10.0, known_to(9000.0));
  EXPECT_DOUBLE_EQ(untold.joules, 2500.0);
  EXPECT_NEAR(kCoverageFactor95 * untold.standard_uncertainty, 2000.0, 1e-9);
  EXPECT_NEAR(untold.budget[0].u / untold.standard_uncertainty, 0.8, 1e-12);
  EXPECT_NEAR(untold.budget[1].u / untold.standard_uncertainty, 0.6, 1e-12);
}

}  // namespace
}  // namespace truewatt::energy
