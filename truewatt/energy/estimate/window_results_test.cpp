#include "truewatt/energy/estimate/window_results.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

// 200 W for 6 s, in windows of two labels and one that stands alone.
TEST(LabelsOf, AreInTheOrderOfTheirFirstWindowAndOneWindowIsItself) {
  const TestSensor sensor{{SourceKind::power_instant, Scope::gpu},
                          {.update_period = Seconds(0.1), .averaging_window = Seconds(0.1)},
                          0.0003,
                          0.3};
  const Profile profile = profile_of({sensor});
  std::mt19937_64 rng(1);
  TestProgram program{.idle_w = 60.0, .length = 10.0};
  program.work.push_back({2.0, 8.0, 200.0});
  const Recording recording = record(program, {sensor}, rng);
  std::vector<Window> windows;
  const auto add = [&windows](double begin, double end, const std::string& label) {
    windows.push_back({program_begin() + to_nanoseconds(Seconds(begin)),
                       program_begin() + to_nanoseconds(Seconds(end)), label});
  };
  add(3.0, 4.0, "b");
  add(4.0, 4.5, "a");
  add(5.0, 6.0, "alone");
  add(6.0, 7.0, "b");
  add(7.0, 7.3, "a");
  const EnergyEstimator estimator(recording, {.profile = &profile}, {}, windows);
  std::vector<WindowResult> results;
  for (const Window& window : windows) {
    results.push_back({.label = window.label, .estimate = estimator.estimate(window)});
  }
  const std::vector<LabelResult> labels = labels_of(windows, results, estimator);
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_EQ(labels[0].label, "b");
  EXPECT_EQ(labels[1].label, "a");
  ASSERT_TRUE(labels[0].energy && labels[0].mean && labels[0].scatter_j);
  EXPECT_EQ(labels[0].count, 2U);
  EXPECT_NEAR(labels[0].energy->interval.value, 400.0, 1.0);
  EXPECT_NEAR(labels[0].mean->interval.value, 200.0, 0.5);
  EXPECT_LT(*labels[0].scatter_j, 1.0);
  EXPECT_NEAR(*labels[1].scatter_j, 40.0 / std::sqrt(2.0), 1.0);  // of 100 J and 60 J
  const EnergyInterval& one = *results[2].estimate.energy;
  EXPECT_EQ(labels[2].energy->interval.lower, one.interval.lower);
  EXPECT_EQ(labels[2].mean->interval.upper, one.interval.upper);
  EXPECT_FALSE(labels[2].scatter_j);
}

}  // namespace
}  // namespace truewatt::energy
