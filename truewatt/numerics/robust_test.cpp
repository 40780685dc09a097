#include "truewatt/numerics/robust.hpp"

#include <gtest/gtest.h>

#include <random>

namespace truewatt::numerics {
namespace {

TEST(Median, OfOddEvenAndNone) {
  EXPECT_DOUBLE_EQ(*median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(*median({4, 1, 2, 3}), 2.5);
  EXPECT_FALSE(median({}).has_value());
}

TEST(RobustSd, IgnoresAFewOutliers) {
  std::mt19937 rng(2);
  std::normal_distribution<double> noise(10.0, 2.0);
  std::vector<double> values;
  for (int i = 0; i < 4000; ++i) values.push_back(i % 50 == 0 ? 1e6 : noise(rng));
  // Efficiency 37 %: sd 2/sqrt(2*0.37*4000) = 0.037; 2 % of outliers lift it by about 2.5 %.
  EXPECT_NEAR(*robust_sd(values), 2.0, 0.17);
}

}  // namespace
}  // namespace truewatt::numerics
