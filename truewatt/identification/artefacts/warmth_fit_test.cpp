#include "truewatt/identification/artefacts/warmth_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/testing/drifting_board.hpp"

namespace truewatt::identification {
namespace {

/// Warmth by the definition, stepped through at a tenth of a millisecond.
double stepped_warmth(const std::vector<Work>& work, double tau, double before, double until) {
  constexpr double kDt = 1e-4;
  double warmth = before;
  const auto steps = static_cast<int>((until - work.front().begin) / kDt);
  for (int i = 0; i < steps; ++i) {
    const double t = work.front().begin + (i + 0.5) * kDt;
    double level = 0.0;
    for (const Work& one : work) level += t >= one.begin && t < one.end ? one.height : 0.0;
    warmth += (level - warmth) * kDt / tau;
  }
  return warmth;
}

TEST(Warmth, OfABoardThatWarmsUpIsFound) {
  for (const double tau : {5.0, 12.0}) {
    DriftingBoard example(12.0, 0.3);
    double warmth = 0.0;
    double last = example.work.front().begin;
    // First order between readings: exact, as work changes at readings to within one of them.
    example.add([&](double t, double unit) {
      if (t < last) return 0.0;
      warmth = unit + (warmth - unit) * std::exp(-(t - last) / tau);
      last = t;
      return 20.0 * warmth;
    });
    const auto found = fit_warmth(example.data(), example.fit, 12.0);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->time_constant_s, tau, 0.1 * tau);
    EXPECT_GT(found->better, 10.0);
    EXPECT_NEAR(found->now, stepped_warmth(example.work, tau, 0.0, 12.0), 0.02);
  }
}

TEST(Warmth, OfABoardThatWasHotIsFound) {
  DriftingBoard example(12.0, 0.3);
  const double first = example.work.front().begin;
  double warmth = 1.0;
  double last = first;
  example.add([&](double t, double unit) {
    if (t < last) return 20.0;
    warmth = unit + (warmth - unit) * std::exp(-(t - last) / 8.0);
    last = t;
    return 20.0 * warmth;
  });
  std::erase_if(example.readings, [first](const ticks::Tick& one) { return one.time < first; });
  const auto found = fit_warmth(example.data(), example.fit, 12.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->now, stepped_warmth(example.work, 8.0, 1.0, 12.0), 0.1);
}

TEST(Warmth, IsNoBetterThanALinearDriftForASteadyBoard) {
  int better = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    DriftingBoard board(10.0, 0.5, seed);
    board.add([](double t, double) { return 0.1 * t; });
    const auto found = fit_warmth(board.data(), board.fit, 10.0);
    ASSERT_TRUE(found);
    better += found->better > 10.0 ? 1 : 0;
  }
  EXPECT_LE(better, 1);
}

TEST(Warmth, SaysHowLongToWorkOrToRest) {
  // d warmth/dt = (1 - warmth)/tau under full work, -warmth/tau at rest.
  EXPECT_NEAR(work_towards({.time_constant_s = 10.0, .now = 0.0}, 0.5), 10.0 * std::log(2.0),
              1e-12);
  EXPECT_NEAR(work_towards({.time_constant_s = 10.0, .now = 1.0}, 0.5), -10.0 * std::log(2.0),
              1e-12);
  EXPECT_DOUBLE_EQ(work_towards({.time_constant_s = 30.0, .now = 0.5}, 0.5), 0.0);
}

}  // namespace
}  // namespace truewatt::identification
