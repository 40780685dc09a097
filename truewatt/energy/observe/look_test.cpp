#include "truewatt/energy/observe/look.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::energy {
namespace {

TEST(Look, ShowsAStepAsItsKernelAddsUp) {
  EXPECT_DOUBLE_EQ(shown_of_step(0.0, 0.0, 0.01), 1.0);
  EXPECT_DOUBLE_EQ(shown_of_step(0.1, 0.0, 0.025), 0.25);
  EXPECT_NEAR(shown_of_step(0.0, 0.02, 0.02), 1 - std::exp(-1.0), 1e-15);
  // The mean of the filter's answer over the window.
  constexpr double kWindow = 0.05;
  constexpr double kLag = 0.03;
  for (const double age : {0.01, 0.05, 0.08}) {
    double sum = 0.0;
    constexpr int kSteps = 100000;
    for (int i = 0; i < kSteps; ++i) {
      const double since = age - kWindow * (i + 0.5) / kSteps;
      if (since > 0) sum += 1 - std::exp(-since / kLag);
    }
    EXPECT_NEAR(shown_of_step(kWindow, kLag, age), sum / kSteps, 1e-6) << age;
  }
}

TEST(Look, RisesLikeItsPartsAlone) {
  EXPECT_NEAR(rise_of_look(0.1, 0.0), 0.08, 1e-9);
  EXPECT_NEAR(rise_of_look(0.0, 0.1), 0.1 * std::log(9.0), 1e-6);
  EXPECT_EQ(rise_of_look(0.0, 0.0), 0.0);
  // Both together take longer than either, and longer than their squares' sum says.
  EXPECT_GT(rise_of_look(0.08, 0.08), std::hypot(0.064, 0.08 * std::log(9.0)));
}

}  // namespace
}  // namespace truewatt::energy
