#include "truewatt/report/replication/published_convergence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace truewatt::report {
namespace {

TEST(Published, ConvergenceHasItsCurvesByLoad) {
  const auto curves = published_convergence(Seconds(0.1));
  EXPECT_EQ(curves.size(), 6U);  // as read and corrected, with 0, 4 and 8 delays
  const auto eight = std::find_if(curves.begin(), curves.end(), [](const auto& curve) {
    return curve.telling == replication::Telling::corrected && curve.delays == 8;
  });
  ASSERT_NE(eight, curves.end());
  EXPECT_EQ(eight->points.back().executions, 128);
  EXPECT_NEAR(eight->points.back().mean, -0.05647, 1e-9);
  EXPECT_NEAR(eight->points.back().spread, 0.04338, 1e-9);
  EXPECT_TRUE(published_convergence(Seconds(0.05)).empty());
}

}  // namespace
}  // namespace truewatt::report
