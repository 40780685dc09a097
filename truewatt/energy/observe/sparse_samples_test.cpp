#include "truewatt/energy/observe/sparse_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::energy {
namespace {

constexpr double kTick = 0.05;

/// Counts of 10 s at 200 W, with 100 W more from 3 s on, where their ticks changed them: of samples
/// `apart` s from each other, or of all that was drawn, of every `missing`th tick none.
std::vector<ObservedReading> counts_of(double apart, int missing = 0) {
  const auto counted = [apart](double t) {
    const double until = apart > 0 ? apart * std::floor(t / apart) : t;
    return 200 * until + 100 * std::max(0.0, until - 3.0);
  };
  std::vector<ObservedReading> counts{{.time = 0.0, .is_first = true}};
  double last = 0.0;
  for (int i = 1; i <= 200; ++i) {
    const double now = counted(kTick * i + 1e-9);
    if (now == last || (missing > 0 && i % missing == 0)) continue;
    counts.push_back({.time = kTick * i, .value = now - last});
    last = now;
  }
  return counts;
}

TEST(SparseSamples, AreTheirDistance) {
  EXPECT_NEAR(samples_apart(counts_of(0.08)), 0.08, 0.001);
  EXPECT_NEAR(samples_apart(counts_of(0.07)), 0.07, 0.001);
}

TEST(SparseSamples, ThereAreNoneWhereCountsGoWithTheirLengths) {
  EXPECT_EQ(samples_apart(counts_of(0.0)), 0.0);
  EXPECT_EQ(samples_apart(counts_of(0.0, 3)), 0.0) << "of ticks that nobody read";
  EXPECT_EQ(samples_apart(counts_of(0.05)), 0.0);
  EXPECT_EQ(samples_apart({}), 0.0);
}

}  // namespace
}  // namespace truewatt::energy
