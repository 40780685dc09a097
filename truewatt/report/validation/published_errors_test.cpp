#include "truewatt/report/validation/published_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace truewatt::report
