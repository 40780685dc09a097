#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "truewatt/report/published_convergence.hpp"
#include "truewatt/report/published_errors.hpp"

namespace truewatt::report {
namespace {

TEST(Published, ErrorsAreThoseOfTheThreeCases) {
  const auto jpeg = published_errors("jpeg");
  ASSERT_TRUE(jpeg);
  const auto near = [](double value) { return testing::DoubleNear(value, 1e-9); };
  EXPECT_THAT(jpeg->naive, testing::ElementsAre(near(-0.1658), near(-0.4667), near(0.3701)));
  EXPECT_THAT(jpeg->good_practice,
              testing::ElementsAre(near(-0.0485), near(-0.0485), near(-0.0540)));
  EXPECT_TRUE(published_errors("bert"));
  EXPECT_FALSE(published_errors("nbody"));
}

TEST(Published, ConvergenceHasItsCurvesByLoad) {
  const auto curves = published_convergence(Seconds(0.1));
  EXPECT_EQ(curves.size(), 6U);  // as read and corrected, with 0, 4 and 8 delays
  const auto eight = std::find_if(curves.begin(), curves.end(), [](const auto& curve) {
    return curve.telling == study::Telling::corrected && curve.delays == 8;
  });
  ASSERT_NE(eight, curves.end());
  EXPECT_EQ(eight->points.back().executions, 128);
  EXPECT_NEAR(eight->points.back().mean, -0.05647, 1e-9);
  EXPECT_NEAR(eight->points.back().spread, 0.04338, 1e-9);
  EXPECT_TRUE(published_convergence(Seconds(0.05)).empty());
}

}  // namespace
}  // namespace truewatt::report
