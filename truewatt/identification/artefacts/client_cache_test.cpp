#include "truewatt/identification/artefacts/client_cache.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::identification {
namespace {

HostTime at(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }

constexpr double kPoll = 0.4e-3;

/// Samples as a poller sees them that looks every 0.4 ms, with random phase, near each change.
Trace polled(const std::vector<double>& changes, std::mt19937& rng) {
  std::uniform_real_distribution<double> late(0.0, kPoll);
  Trace trace{.source = {SourceKind::power_instant, Scope::gpu}};
  double value = 100.0;
  for (const double change : changes) {
    const double seen = change + late(rng);
    trace.samples.push_back({at(seen - kPoll), at(seen), std::nullopt, value += 1.0});
  }
  trace.begin = trace.samples.front().before;
  trace.end = trace.samples.back().seen;
  return trace;
}

/// What a poller sees of a cache that runs out 100 ms after its last refresh: the next poll's call,
/// up to 0.4 ms later and `call` seconds long, refreshes it.
Trace refreshed(double call, std::mt19937& rng) {
  std::uniform_real_distribution<double> late(0.0, kPoll);
  Trace trace{.source = {SourceKind::power_instant, Scope::gpu}};
  double refresh = 0.0;
  for (int i = 0; i < 400; ++i) {
    const double asked = refresh + 0.100 + late(rng);
    refresh = asked + call;
    trace.samples.push_back({at(asked - kPoll), at(refresh), std::nullopt, 100.0 + i});
    if (call > 0) trace.samples.back().call = to_nanoseconds(Seconds(call));
  }
  return trace;
}

TEST(ClientCache, IsFoundFromTheRefreshesThatThePollerMakes) {
  std::mt19937 rng(3);
  const Trace trace = refreshed(0.0, rng);
  const auto cache = client_cache_period(trace, 0.1002);
  ASSERT_TRUE(cache);
  EXPECT_LE(cache->lower, 0.1);
  EXPECT_GE(cache->upper, 0.1);
  EXPECT_NEAR(cache->value, 0.1, 2e-5);
}

TEST(ClientCache, IsAsOldAsItIsWhenItsRefreshBeginsHoweverLongThatTakes) {
  std::mt19937 rng(3);
  Trace trace = refreshed(2.4e-3, rng);
  const auto cache = client_cache_period(trace, 0.1026);
  ASSERT_TRUE(cache);
  EXPECT_NEAR(cache->value, 0.1, 2e-5);
  EXPECT_LE(cache->lower, 0.1);
  EXPECT_GE(cache->upper, 0.1);
  // Where nobody noted the calls, a grid of 102.6 ms may pass through their brackets as well.
  for (Sample& sample : trace.samples) sample.call.reset();
  EXPECT_FALSE(client_cache_period(trace, 0.1026));
}

TEST(ClientCache, IsNotSeenInAGrid) {
  std::mt19937 rng(3);
  std::vector<double> grid;
  std::vector<double> jittered;
  std::normal_distribution<double> jitter(0.0, 0.1e-3);
  for (int i = 0; i < 400; ++i) {
    grid.push_back(0.1 * i);
    jittered.push_back(0.1 * i + jitter(rng));
  }
  EXPECT_FALSE(client_cache_period(polled(grid, rng), 0.1));
  EXPECT_FALSE(client_cache_period(polled(jittered, rng), 0.1));
}

// Calls that show something new are longer than others by chance, or by what publishing costs.
TEST(ClientCache, IsNotSeenInAGridWhoseCallsTakeLong) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> poll(0.0, 1e-3);
    std::uniform_real_distribution<double> longer(0.0, 1.5e-3);
    Trace trace{.source = {SourceKind::power_instant, Scope::gpu}};
    for (int i = 0; i < 300; ++i) {
      const double call = 2e-3 + longer(rng);
      const double asked = 0.1 * i - call + poll(rng);
      trace.samples.push_back({at(asked - 1e-3), at(asked + call), std::nullopt, 100.0 + i,
                               to_nanoseconds(Seconds(call))});
    }
    EXPECT_FALSE(client_cache_period(trace, 0.1)) << seed;
  }
}

TEST(ClientCache, NeedsIntervals) {
  std::mt19937 rng(3);
  EXPECT_FALSE(client_cache_period(polled({0.0, 0.1, 0.2}, rng), 0.1));
}

TEST(Refreshes, AreReadingsOfTheMomentTheyWereSeen) {
  std::mt19937 rng(3);
  const Trace trace = polled({0.0, 0.1, 0.2}, rng);
  const auto readings = refreshes(trace, at(0.0));
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_NEAR(readings[0].time, seconds_between(at(0.0), trace.samples[1].seen), 1e-12);
  EXPECT_EQ(readings[0].value, trace.samples[1].value);
}

}  // namespace
}  // namespace truewatt::identification
