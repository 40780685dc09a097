#include "truewatt/uncertainty/common_scatter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::uncertainty {
namespace {

/// Mean squares of `freedom` normal residuals whose variances are draws worth `worth` degrees of
/// freedom, or all 1.
std::vector<Scatter> drawn(std::size_t fits, int freedom, double worth, unsigned seed) {
  std::mt19937_64 chance(seed);
  std::chi_squared_distribution<double> residuals(freedom);
  std::vector<Scatter> all;
  for (std::size_t i = 0; i < fits; ++i) {
    double variance = 1.0;
    if (worth > 0) variance = worth / std::chi_squared_distribution<double>(worth)(chance);
    all.push_back({variance * residuals(chance) / freedom, static_cast<double>(freedom)});
  }
  return all;
}

TEST(CommonScatter, OfEqualVariancesIsAsGoodAsKnown) {
  const auto common = common_scatter(drawn(2000, 6, 0, 1));
  ASSERT_TRUE(common);
  EXPECT_NEAR(common->variance, 1.0, 0.03);
  EXPECT_GT(common->freedom, 100);
}

TEST(CommonScatter, FindsHowMuchVariancesDiffer) {
  const auto common = common_scatter(drawn(4000, 6, 12, 2));
  ASSERT_TRUE(common);
  EXPECT_NEAR(common->variance, 1.0, 0.1);
  // Fits that scatter twice as far are left out, which makes the others look more alike.
  EXPECT_NEAR(common->freedom, 14, 4);
}

TEST(CommonScatter, FitsOfAnotherKindDoNotCount) {
  auto fits = drawn(200, 6, 0, 3);
  for (int i = 0; i < 20; ++i) fits.push_back({400.0, 6});
  const auto common = common_scatter(fits);
  ASSERT_TRUE(common);
  EXPECT_NEAR(common->variance, 1.0, 0.1);
  const Scatter other = moderated({400.0, 6}, common);
  EXPECT_EQ(other.variance, 400.0);
  EXPECT_EQ(other.freedom, 6);
}

TEST(CommonScatter, IsNotTakenFromFewFitsOrNone) {
  EXPECT_FALSE(common_scatter(drawn(4, 6, 0, 4)));
  EXPECT_FALSE(common_scatter(std::vector<Scatter>(10)));
  const Scatter own = moderated({2.0, 3}, std::nullopt);
  EXPECT_EQ(own.variance, 2.0);
  EXPECT_EQ(own.freedom, 3);
}

TEST(CommonScatter, OfFewFitsIsKnownNoBetterThanTheyAreAll) {
  const auto common = common_scatter(drawn(6, 2, 0, 7));
  ASSERT_TRUE(common);
  EXPECT_LE(common->freedom, 12);
}

TEST(CommonScatter, IsWeighedByDegreesOfFreedom) {
  const Scatter both = moderated({2.0, 2}, Scatter{1.0, 6});
  EXPECT_DOUBLE_EQ(both.variance, 1.25);
  EXPECT_DOUBLE_EQ(both.freedom, 8);
}

/// What it is for: intervals of means of three runs each.
TEST(CommonScatter, IntervalsCoverWhereFitsAreSmall) {
  std::mt19937_64 chance(5);
  std::normal_distribution<double> normal;
  int held = 0;
  int all = 0;
  double width = 0.0;
  for (int survey = 0; survey < 40; ++survey) {
    std::vector<double> means;
    std::vector<Scatter> fits;
    for (int fit = 0; fit < 50; ++fit) {
      const double sd = std::sqrt(20 / std::chi_squared_distribution<double>(20)(chance));
      double runs[3];
      double mean = 0.0;
      for (double& run : runs) mean += (run = sd * normal(chance)) / 3;
      double squares = 0.0;
      for (const double run : runs) squares += (run - mean) * (run - mean);
      means.push_back(mean);
      fits.push_back({squares / 2, 2});
    }
    const auto common = common_scatter(fits);
    ASSERT_TRUE(common);
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const Scatter scatter = moderated(fits[i], common);
      const double half =
          1.96 * numerics::student_widening(scatter.freedom) * std::sqrt(scatter.variance / 3);
      held += std::abs(means[i]) <= half ? 1 : 0;
      width += half;
      ++all;
    }
  }
  EXPECT_NEAR(held / static_cast<double>(all), 0.95, 0.015);
  // By its own scatter alone a mean of three is known to 2.5.
  EXPECT_LT(width / all, 1.5);
}

}  // namespace
}  // namespace truewatt::uncertainty
