#include "truewatt/numerics/nelder_mead.hpp"

#include <gtest/gtest.h>

namespace truewatt::numerics {
namespace {

double rosenbrock(std::span<const double> x) {
  const double valley = x[1] - x[0] * x[0];
  return 100.0 * valley * valley + (1.0 - x[0]) * (1.0 - x[0]);
}

TEST(NelderMead, FollowsRosenbrocksValley) {
  // The start of Rosenbrock (1960); the minimum is 0 at (1, 1).
  const auto minimum =
      nelder_mead(rosenbrock, {-1.2, 1.0}, {.point_tolerance = 1e-8, .value_tolerance = 1e-12});
  EXPECT_TRUE(minimum.converged);
  EXPECT_NEAR(minimum.at[0], 1.0, 1e-6);
  EXPECT_NEAR(minimum.at[1], 1.0, 1e-6);
  EXPECT_LT(minimum.value, 1e-12);
}

TEST(NelderMead, LeavesAZeroOnItsOwn) {
  const auto minimum =
      nelder_mead([](std::span<const double> x) { return (x[0] - 3.0) * (x[0] - 3.0); }, {0.0});
  EXPECT_NEAR(minimum.at[0], 3.0, 1e-2);  // value tolerance 1e-4: the root of it
}

TEST(NelderMead, EndsInTheNearestValley) {
  // Two valleys, the deeper one at 10; from 2 the search ends in that at 0.
  const auto two = [](std::span<const double> x) {
    const double far = x[0] - 10.0;
    return x[0] * x[0] < far * far ? x[0] * x[0] : far * far - 1.0;
  };
  EXPECT_NEAR(nelder_mead(two, {2.0}).at[0], 0.0, 1e-2);
}

TEST(NelderMead, SaysWhenItDidNotFinish) {
  const auto minimum = nelder_mead(rosenbrock, {-1.2, 1.0}, {.most_iterations = 5});
  EXPECT_FALSE(minimum.converged);
  EXPECT_LE(minimum.evaluations, 3 + 5 * 4);
}

}  // namespace
}  // namespace truewatt::numerics
