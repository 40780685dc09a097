#include "truewatt/energy/observe/frozen_readings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

constexpr Nanoseconds kPoll = std::chrono::milliseconds(100);

/// Polled every 0.1 s: a value each, but for those at which `again` shows the one before.
template <class Again>
Trace polled_trace(int polls, double quantum, Again again) {
  std::mt19937_64 rng(1);
  std::normal_distribution<double> noise(100.0, 0.3);
  Trace trace{.source = {SourceKind::power_usage, Scope::gpu}};
  for (int i = 0; i < polls; ++i) {
    const HostTime now = HostTime() + kPoll * i;
    const double value = quantum * std::round(noise(rng) / quantum);
    const bool is_same = i > 0 && (again(i) || value == trace.samples.back().value);
    if (!is_same) trace.samples.push_back({now - kPoll, now, std::nullopt, value});
  }
  return trace;
}

std::ptrdiff_t frozen_of(const Trace& trace) {
  const std::vector<bool> frozen = frozen_samples(trace, 0.1);
  return std::count(frozen.begin(), frozen.end(), true);
}

TEST(FrozenReadings, AreThoseThatStandWhereOthersChange) {
  EXPECT_EQ(frozen_of(polled_trace(400, 0.01, [](int i) { return i > 200 && i < 300; })), 1);
  EXPECT_EQ(frozen_of(polled_trace(400, 0.01, [](int i) { return i > 200 && i < 208; })), 0);
}

TEST(FrozenReadings, AreNoneWhereValuesRepeatOrHardlyAnyAreThere) {
  EXPECT_EQ(frozen_of(polled_trace(400, 1.0, [](int i) { return i > 200 && i < 300; })), 0);
  EXPECT_EQ(frozen_of(polled_trace(130, 0.01, [](int i) { return i > 8 && i < 120; })), 0)
      << "too few others";
}

}  // namespace
}  // namespace truewatt::energy
