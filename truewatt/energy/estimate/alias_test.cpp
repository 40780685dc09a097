// What a sensor that hides little of a load in step with it may hide.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

constexpr double kEvery = 0.027;  // s

// Means over 1.25 periods behind 43 ms turn 1.8 % of work that repeats with their period into a
// constant error: pulses of half of it are up to 4/pi times that off, and readings stay level.
TEST(Alias, WorkInStepIsInTheIntervalWhereLittleOfItIsHidden) {
  TestSensor sensor{{SourceKind::power_instant, Scope::gpu},
                    {.update_period = Seconds(kEvery),
                     .averaging_window = Seconds(1.25 * kEvery),
                     .time_constant = Seconds(0.043),
                     .delay = Seconds(0.004)},
                    0.0003,
                    0.3};
  sensor.bracket = 0.001;
  const Profile profile = profile_of({sensor});
  int held = 0;
  int sums_held = 0;
  double furthest = 0.0;
  constexpr int kRuns = 20;
  for (int run = 0; run < kRuns; ++run) {
    std::mt19937_64 rng(static_cast<std::uint64_t>(run) + 1);
    TestProgram program{.idle_w = 60.0, .length = 8.0};
    for (int pulse = 0; pulse < 148; ++pulse) {
      const double begin = 2.0 + kEvery * (pulse + 0.05 * run);
      program.work.push_back({begin, begin + 0.5 * kEvery, 460.0});
    }
    const Recording recording = record(program, {sensor}, rng);
    const Window window{program_begin() + to_nanoseconds(Seconds(1.5)),
                        program_begin() + to_nanoseconds(Seconds(6.5)), ""};
    const EnergyEstimator estimator(recording, {.profile = &profile}, {}, {});
    const EnergyEstimate estimate = estimator.estimate(window);
    ASSERT_TRUE(estimate.energy && estimate.resolved) << run;
    const double truth = program.energy(1.5, 6.5);
    const double error = std::abs(estimate.energy->interval.value - truth);
    furthest = std::max(furthest, error / truth);
    if (error <= 1.96 * estimate.energy->without_gain()) ++held;
    // What one second hides all hide.
    std::vector<Window> seconds;
    for (int i = 0; i < 5; ++i) {
      const HostTime begin = window.begin + to_nanoseconds(Seconds(i));
      seconds.push_back({begin, begin + to_nanoseconds(Seconds(1.0)), ""});
    }
    const auto sum = estimator.sum(seconds);
    ASSERT_TRUE(sum) << run;
    if (std::abs(sum->interval.value - truth) <= 1.96 * sum->without_gain()) ++sums_held;
  }
  EXPECT_GT(furthest, 0.005);  // what nothing in the readings shows
  EXPECT_GE(held, 19);
  EXPECT_GE(sums_held, 19);
}

}  // namespace
}  // namespace truewatt::energy
