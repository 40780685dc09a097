#include "truewatt/energy/observe/tick_phases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace truewatt::energy {
namespace {

TEST(TickPhases, OfAGridAreWhereItIs) {
  const TickPhases phases = tick_phases({0.02, 0.121, 0.22, 0.419, 0.52}, 0.1);
  EXPECT_EQ(phases.number, (std::vector<double>{0, 1, 2, 4, 5}));
  for (const double phase : phases.of_grid) EXPECT_NEAR(phase, 0.02, 1e-9);
}

// Of a period that is 1 % too long, 26 ticks of a hole make a quarter of a period: what comes
// behind the hole says where the grid is then, whatever was before.
TEST(TickPhases, BehindAHoleThatThePeriodDoesNotBridgeAreOfAnotherGrid) {
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) times.push_back(0.1 * i);
  for (int i = 36; i < 44; ++i) times.push_back(0.1 * i);
  const auto off = [&](const TickPhases& phases) {  // of the first tick behind the hole
    const double ticks = (times[10] - phases.of_grid[10]) / 0.101;
    return 0.101 * std::abs(ticks - std::round(ticks));
  };
  EXPECT_LT(off(tick_phases(times, 0.101, 0.001)), 0.005);
  EXPECT_GT(off(tick_phases(times, 0.101)), 0.01);
}

}  // namespace
}  // namespace truewatt::energy
