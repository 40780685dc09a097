#include "truewatt/identification/counter/energy_agreement.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace truewatt::identification {
namespace {

struct Ticks {
  std::vector<ticks::Tick> counter;
  std::vector<ticks::Tick> power;
};

/// A minute of random power, held for 20 ms at a time; the power source reads `gain` times it.
Ticks random_power(double gain) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> watts(50.0, 300.0);
  Ticks ticks;
  double joules = 500.0;
  for (int i = 0; i < 3000; ++i) {
    const double power = watts(rng);
    joules += power * 0.02;
    const double time = 0.02 * (i + 1);
    ticks.power.push_back({time, 1e-4, gain * power});
    if (i % 5 == 4) ticks.counter.push_back({time, 1e-4, joules});
  }
  return ticks;
}

TEST(EnergyAgreement, IsTheRatioOfTheSources) {
  const Ticks ticks = random_power(0.8);
  const auto agreement = energy_agreement({ticks.counter}, {ticks.power});
  ASSERT_TRUE(agreement);
  const Interval& ratio = agreement->ratio;
  EXPECT_NEAR(ratio.value, 1.25, 1e-9);
  EXPECT_NEAR(agreement->power_w, 0.8 * 175.0, 5.0) << "random powers of 50 to 300 W";
  EXPECT_LT(ratio.upper - ratio.lower, 0.005) << "stretches end between the counter's ticks";
}

TEST(EnergyAgreement, APartTimeSourceIsUncertain) {
  Ticks ticks = random_power(1.0);
  std::vector<ticks::Tick> every_fifth;
  for (std::size_t i = 4; i < ticks.power.size(); i += 5) every_fifth.push_back(ticks.power[i]);
  const auto agreement = energy_agreement({ticks.counter}, {every_fifth});
  ASSERT_TRUE(agreement);
  const Interval& ratio = agreement->ratio;
  EXPECT_GT(ratio.upper - ratio.lower, 0.01);
  EXPECT_LT(ratio.lower, 1.0);
  EXPECT_GT(ratio.upper, 1.0);
}

TEST(EnergyAgreement, NothingOfLittleOrOfAReset) {
  Ticks ticks = random_power(1.0);
  ticks.counter[300].value = 0.0;
  EXPECT_FALSE(energy_agreement({ticks.counter}, {ticks.power}));
  ticks = random_power(1.0);
  ticks.counter.resize(100);
  EXPECT_FALSE(energy_agreement({ticks.counter}, {ticks.power}));
  EXPECT_FALSE(energy_agreement({}, {}));
}

}  // namespace
}  // namespace truewatt::identification
