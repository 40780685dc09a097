#include "truewatt/identification/profile/earlier_load.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::identification {
namespace {

const std::vector<Work> kWork = {{2.0, 3.0}};

/// Readings every 20 ms of a source with a lag of `lag` seconds: a load of 300 W until `ended`,
/// idle of 50 W, then the work.
std::vector<ticks::Tick> readings_after(double ended, double lag) {
  std::vector<ticks::Tick> readings;
  for (int i = 0; i < 200; ++i) {
    const double time = 0.02 * i;
    const double rest = time < ended ? 250.0 : 250.0 * std::exp(-(time - ended) / lag);
    const bool works = time >= kWork[0].begin && time < kWork[0].end;
    readings.push_back({time, 1e-4, 50.0 + rest + (works ? 250.0 : 0.0)});
  }
  return readings;
}

TEST(EarlierLoad, WhatStillShowsItIsLeftOut) {
  const auto kept = without_earlier_load(readings_after(0.4, 0.1), kWork, 0.0);
  ASSERT_FALSE(kept.empty());
  // exp(-x) = 1 % at x = 4.6, so 0.46 s after its end.
  EXPECT_NEAR(kept.front().time, 0.86, 0.03);
  EXPECT_DOUBLE_EQ(kept.back().time, 3.98);
}

TEST(EarlierLoad, WhatWasReadBeforeTheDeviceWasAskedIsLeftOut) {
  const auto kept = without_earlier_load(readings_after(0.0, 0.001), kWork, 1.49);
  ASSERT_FALSE(kept.empty());
  EXPECT_DOUBLE_EQ(kept.front().time, 1.5);
}

TEST(EarlierLoad, NothingIsKnownWhereItShowsUntilTheWorkBegins) {
  EXPECT_TRUE(without_earlier_load(readings_after(1.7, 0.3), kWork, 0.0).empty());
  EXPECT_TRUE(without_earlier_load(readings_after(0.4, 0.1), kWork, 1.97).empty());
  EXPECT_TRUE(without_earlier_load(readings_after(0.4, 0.1), {}, 0.0).empty());
}

TEST(EarlierLoad, TheRingBeginsBeforeTheDeviceWasAsked) {
  Recording recording;
  const HostTime origin{};
  const auto add = [&recording](SourceKind kind, HostTime begin) {
    Trace trace{.source = {kind, Scope::gpu}, .begin = begin, .end = begin};
    trace.samples.push_back({begin, begin, std::nullopt, 1.0});
    recording.traces.push_back(trace);
  };
  add(SourceKind::power_samples, origin);
  add(SourceKind::power_usage, origin + std::chrono::seconds(2));
  EXPECT_DOUBLE_EQ(asked_from(recording, origin), 2.0);
}

}  // namespace
}  // namespace truewatt::identification
