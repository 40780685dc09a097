#include "truewatt/numerics/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::numerics {
namespace {

TEST(Summary, OfFourNumbers) {
  const auto summary = summarize({1.0, 2.0, 3.0, 6.0});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 4U);
  EXPECT_DOUBLE_EQ(summary->mean, 3.0);
  EXPECT_DOUBLE_EQ(summary->median, 2.5);
  EXPECT_DOUBLE_EQ(summary->sd, std::sqrt(14.0 / 3.0));
  EXPECT_DOUBLE_EQ(summary->standard_error(), std::sqrt(14.0 / 12.0));
}

TEST(Summary, KeepsSmallDeviationsBesideALargeMean) {
  const auto summary = summarize({1e9 - 0.5, 1e9 + 0.5});
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->sd, std::sqrt(0.5));
}

TEST(Summary, OfNothingAndOfOneNumber) {
  EXPECT_FALSE(summarize({}));
  EXPECT_EQ(summarize({2.0})->sd, 0.0);
}

}  // namespace
}  // namespace truewatt::numerics
