#include "truewatt/base/interval.hpp"

#include <gtest/gtest.h>

namespace truewatt {
namespace {

TEST(Interval, OfAnUncertainValueHasItsStandardUncertainty) {
  const Interval interval = interval95({100.0, 2.0});
  EXPECT_DOUBLE_EQ(half_width_of(interval), 2 * kCoverageFactor95);
  EXPECT_DOUBLE_EQ(standard_uncertainty_of(interval), 2.0);
}

}  // namespace
}  // namespace truewatt
