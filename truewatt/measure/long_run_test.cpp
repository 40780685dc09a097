#include <gtest/gtest.h>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/testing/long_capture.hpp"

namespace truewatt::measure {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAll = std::size_t{1} << 40;
/// In step with nothing for 20 minutes.
constexpr const char* kBursts = "burst:on=170ms,gap=60ms,jitter=200ms,count=3636";

LongCapture long_run(const std::string& device, const std::string& load, std::size_t most_samples) {
  return long_capture(
             {.device = device, .load = load, .length = 1200s, .most_samples = most_samples})
      .value();
}

// What a run of hours keeps in memory is that of minutes, and tells the same joules.
TEST(LongRun, IsToldFromItsEdgesAndSums) {
  for (const std::string device : {"sim:h200", "sim:p100"}) {
    SCOPED_TRACE(device);
    const LongCapture all = long_run(device, kBursts, kAll);
    const LongCapture sums = long_run(device, kBursts, 4000);
    ASSERT_EQ(all.truth_j, sums.truth_j);
    for (const Trace& trace : sums.recording.traces) {
      EXPECT_LT(trace.samples.size(), 6000U) << to_string(trace.source);
      EXPECT_LE(trace.condensed.size(), 600U) << to_string(trace.source);
    }
    const auto told = energy::estimate_energy(sums.recording, sums.window);
    const auto of_all = energy::estimate_energy(all.recording, all.window);
    ASSERT_TRUE(told.energy && of_all.energy);
    EXPECT_EQ(told.method, of_all.method);
    EXPECT_EQ(told.reasons, of_all.reasons);
    EXPECT_EQ(told.resolved, of_all.resolved);
    const double half = *half_width_without_gain(told) + *half_width_without_gain(of_all);
    EXPECT_NEAR(told.energy->interval.value / of_all.energy->interval.value, 1.0, half);
    EXPECT_LT(half, 0.03);
    EXPECT_LE(told.energy->interval.lower, sums.truth_j);
    EXPECT_GE(told.energy->interval.upper, sums.truth_j);
    ASSERT_EQ(told.naive_j.size(), of_all.naive_j.size());
    for (const auto& [source, joules] : of_all.naive_j) {
      EXPECT_NEAR(told.naive_j.at(source) / joules, 1.0, 1e-9) << source;
    }
  }
}

// Work that goes from level to level makes sums that differ from what a counter's counts are of.
TEST(LongRun, OfPlateausIsAsResolvedAsWithAllSamples) {
  for (const std::string device : {"sim:h200", "sim:a100", "sim:rtx3090"}) {
    SCOPED_TRACE(device);
    const std::string load = "square:period=7.3s,duty=0.7,duration=1195s";
    const LongCapture all = long_run(device, load, kAll);
    const LongCapture sums = long_run(device, load, 4000);
    const auto told = energy::estimate_energy(sums.recording, sums.window);
    const auto of_all = energy::estimate_energy(all.recording, all.window);
    ASSERT_TRUE(told.energy && of_all.energy && told.net_energy && of_all.net_energy);
    EXPECT_EQ(told.sources, of_all.sources);
    EXPECT_EQ(told.reasons, of_all.reasons);
    EXPECT_TRUE(told.resolved && of_all.resolved);
    EXPECT_NEAR(told.energy->interval.value / of_all.energy->interval.value, 1.0, 1e-4);
    EXPECT_NEAR(told.net_energy->interval.value / of_all.net_energy->interval.value, 1.0, 2e-3);
  }
}

}  // namespace
}  // namespace truewatt::measure
