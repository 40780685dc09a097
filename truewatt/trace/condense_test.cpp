#include "truewatt/trace/condense.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace truewatt {
namespace {

HostTime at_seconds(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }

/// A reading every 20 ms of a slow wave, seen up to a millisecond after the poll before.
Trace power_trace(double length_s) {
  Trace trace{.source = {SourceKind::power_samples, Scope::gpu}};
  for (int i = 0; 0.02 * i < length_s; ++i) {
    const double t = 0.02 * i;
    trace.samples.push_back(
        {at_seconds(t - 0.001), at_seconds(t), std::nullopt, 300.0 + 50.0 * std::sin(t)});
  }
  trace.begin = trace.samples.front().before;
  trace.end = trace.samples.back().seen;
  return trace;
}

double held(const Trace& trace, std::size_t first, std::size_t last) {
  double joules = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    joules +=
        trace.samples[i].value * seconds_between(trace.samples[i].seen, trace.samples[i + 1].seen);
  }
  return joules;
}

TEST(Condense, KeepsTheSumsOfWhatItDrops) {
  const Trace whole = power_trace(300.0);
  Trace trace = whole;
  condense(trace, at_seconds(20.0), at_seconds(280.0));
  ASSERT_EQ(trace.samples.size(), 1001U + 1001U);
  EXPECT_EQ(trace.samples[1000].seen, at_seconds(20.0));
  EXPECT_EQ(trace.samples[1001].seen, whole.samples[13999].seen);
  double joules = 0.0;
  double read = 0.0;
  std::uint64_t readings = 0;
  HostTime end = at_seconds(20.0);
  for (const CondensedStretch& sums : trace.condensed) {
    EXPECT_EQ(sums.begin, end);
    end = sums.end;
    joules += sums.held_j;
    read += sums.read_j;
    readings += sums.readings;
    EXPECT_LE(sums.highest_w, 350.0);
  }
  EXPECT_EQ(end, whole.samples[13998].seen);
  EXPECT_EQ(readings, 12998U);
  EXPECT_NEAR(joules, held(whole, 1000, 13998), 1e-6);
  double expected = 0.0;
  for (std::size_t i = 1001; i <= 13998; ++i) expected += 0.02 * whole.samples[i].value;
  EXPECT_NEAR(read, expected, 1e-6);
  EXPECT_EQ(trace.condensed.back().last_w, whole.samples[13998].value);
}

TEST(Condense, MemoryDoesNotGrowAndSumsStayTheSame) {
  const Trace whole = power_trace(9000.0);
  Trace trace{.source = whole.source, .begin = whole.begin, .end = whole.end};
  std::size_t most = 0;
  for (const Sample& sample : whole.samples) {
    trace.samples.push_back(sample);
    if (trace.samples.size() < 4000) continue;
    condense(trace, at_seconds(20.0), sample.seen - std::chrono::seconds(20));
    most = std::max(most, trace.condensed.size());
    ASSERT_LT(trace.samples.size(), 3000U);
  }
  EXPECT_LE(most, 257U);
  double joules = 0.0;
  HostTime end = at_seconds(20.0);
  for (const CondensedStretch& sums : trace.condensed) {
    ASSERT_EQ(sums.begin, end);
    end = sums.end;
    joules += sums.held_j;
  }
  const std::size_t last = whole.samples.size() - 1;
  const std::size_t behind = last - (trace.samples.size() - 1002);
  EXPECT_EQ(trace.samples[1001].seen, whole.samples[behind].seen);
  EXPECT_NEAR(joules, held(whole, 1000, behind - 1), 1e-3);
  EXPECT_TRUE(is_condensed_at(trace, at_seconds(4000.0)));
  EXPECT_FALSE(is_condensed_at(trace, at_seconds(19.0)));
  EXPECT_FALSE(is_condensed_at(trace, whole.end));
}

TEST(Condense, FarFromEdgesWhereATraceIsLong) {
  Recording recording;
  recording.traces = {power_trace(300.0), power_trace(100.0)};
  recording.traces[1].source.kind = SourceKind::power_instant;
  const Recording whole = recording;
  const std::vector<Window> windows{{at_seconds(100.0), at_seconds(200.0), "outer"},
                                    {at_seconds(110.0), at_seconds(112.0), "inner"}};
  EXPECT_FALSE(condense_far_from(windows, recording, whole.traces[0].samples.size()));
  EXPECT_TRUE(condense_far_from(windows, recording, 10000));
  const Trace& left = recording.traces[0];
  EXPECT_EQ(recording.traces[1].samples.size(), whole.traces[1].samples.size());
  EXPECT_EQ(samples_of(left), samples_of(whole.traces[0]));
  EXPECT_LT(left.samples.size(), 5000U);
  for (const double edge : {100.0, 110.0, 112.0, 200.0}) {
    EXPECT_FALSE(is_condensed_at(left, at_seconds(edge - 14.9))) << edge;
    EXPECT_FALSE(is_condensed_at(left, at_seconds(edge + 14.9))) << edge;
  }
  EXPECT_TRUE(is_condensed_at(left, at_seconds(51.0)));
  EXPECT_TRUE(is_condensed_at(left, at_seconds(150.0)));
  EXPECT_TRUE(is_condensed_at(left, at_seconds(251.0)));
}

// A value that stood for minutes, a hole, and what no board draws are no part of a sum.
TEST(Condense, WhatDoesNotFollowAsUsualIsKept) {
  Trace trace = power_trace(400.0);
  trace.source.kind = SourceKind::power_instant;
  const Trace whole = trace;
  trace.samples[5000].value = 40000.0;
  // From 150 s on the value of then stands for a minute, while it is polled.
  trace.samples.erase(trace.samples.begin() + 7501, trace.samples.begin() + 10501);
  // From 250 s on nobody asks for 40 s.
  const HostTime asked = trace.samples[9500].seen;
  trace.samples.erase(trace.samples.begin() + 9501, trace.samples.begin() + 11501);
  trace.samples[9501].before = asked;
  condense(trace, at_seconds(20.0), at_seconds(380.0));
  EXPECT_LT(trace.samples.size(), 2100U);
  const auto is_kept = [&](HostTime seen) {
    return std::any_of(trace.samples.begin(), trace.samples.end(),
                       [seen](const Sample& one) { return one.seen == seen; });
  };
  EXPECT_TRUE(is_kept(whole.samples[5000].seen));
  for (const std::size_t i : {7500U, 10501U, 12500U, 14501U}) {
    EXPECT_TRUE(is_kept(whole.samples[i].seen)) << i;
  }
  for (const CondensedStretch& sums : trace.condensed) {
    EXPECT_LT(sums.highest_w, 400.0);
    EXPECT_LT(sums.longest_silence, std::chrono::milliseconds(25));
    const double mean = sums.read_j / seconds_between(sums.begin_tick, sums.end_tick);
    EXPECT_NEAR(mean, 300.0, 50.0);
  }
}

// Idle shows one value, which is published again and again, until work begins.
TEST(Condense, AValueThatStoodCountsUntilTheNextWasPublished) {
  Trace trace{.source = {SourceKind::power_instant, Scope::gpu}};
  for (int i = 0; i < 20000; ++i) {
    const int place = i % 20;
    if (place > 16) continue;
    const double value = place == 16 ? 20.0 : 300.0 + 0.1 * place;
    trace.samples.push_back(
        {at_seconds(0.02 * i - 0.001), at_seconds(0.02 * i), std::nullopt, value});
  }
  condense(trace, at_seconds(20.0), at_seconds(380.0));
  ASSERT_GT(trace.condensed.size(), 30U);
  for (const CondensedStretch& sums : trace.condensed) {
    const double mean = sums.read_j / seconds_between(sums.begin_tick, sums.end_tick);
    EXPECT_NEAR(mean, (16 * 300.75 + 4 * 20) / 20, 5.0);
  }
}

TEST(Condense, ACounterKeepsSomeOfItsSamplesAndAReset) {
  Trace trace{.source = {SourceKind::energy_counter, Scope::gpu}};
  for (int i = 0; i < 20000; ++i) {
    const double t = 0.1 * i;
    trace.samples.push_back({at_seconds(t - 0.002), at_seconds(t), std::nullopt,
                             i < 9000 ? 30.0 * i : 30.0 * (i - 9000)});
  }
  for (int repeat = 0; repeat < 3; ++repeat) condense(trace, at_seconds(20.0), at_seconds(1980.0));
  EXPECT_LT(trace.samples.size(), 2 * 200U + 260U);
  std::size_t resets = 0;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    EXPECT_LT(trace.samples[i - 1].seen, trace.samples[i].seen);
    if (trace.samples[i].value < trace.samples[i - 1].value) {
      ++resets;
      EXPECT_EQ(trace.samples[i - 1].value, 30.0 * 8999);
      EXPECT_EQ(trace.samples[i].value, 0.0);
    }
  }
  EXPECT_EQ(resets, 1U);
  EXPECT_TRUE(is_condensed_at(trace, at_seconds(55.5)));
  EXPECT_FALSE(is_condensed_at(trace, at_seconds(10.0)));
}

TEST(Condense, ForgetsRestsAndKeepsFailures) {
  Trace trace = power_trace(100.0);
  trace.gaps = {{at_seconds(30.0), at_seconds(31.0), std::string(kNotAsked)},
                {at_seconds(50.0), at_seconds(51.0), "timed_out"},
                {at_seconds(95.0), at_seconds(96.0), std::string(kNotAsked)}};
  condense(trace, at_seconds(20.0), at_seconds(80.0));
  ASSERT_EQ(trace.gaps.size(), 2U);
  EXPECT_EQ(trace.gaps[0].cause, "timed_out");
}

/// A reading every 100 ms of a source that rests for 9.5 of every 10 s.
Trace resting_trace(SourceKind kind, double length_s) {
  Trace trace{.source = {kind, Scope::gpu}};
  for (double t = 0.0; t < length_s; t += 10.0) {
    const double rested_since = t - 9.5;
    if (t > 0)
      trace.gaps.push_back(
          {at_seconds(rested_since), at_seconds(t - 0.001), std::string(kNotAsked)});
    for (int i = 0; i < 6; ++i) {
      const double seen = t + 0.1 * i;
      const double before = i == 0 && t > 0 ? rested_since - 0.002 : seen - 0.002;
      trace.samples.push_back({at_seconds(before), at_seconds(seen), std::nullopt, 100.0 + seen});
    }
  }
  return trace;
}

TEST(Condense, NoReadingThatIsLeftWasSeenAfterARest) {
  for (const SourceKind kind : {SourceKind::energy_counter, SourceKind::power_instant}) {
    Trace trace = resting_trace(kind, 3000.0);
    const HostTime to =
        kind == SourceKind::energy_counter ? at_seconds(2950.05) : at_seconds(2950.0);
    for (int repeat = 0; repeat < 3; ++repeat) condense(trace, at_seconds(20.0), to);
    EXPECT_LT(trace.samples.size(), 400U);
    for (const Sample& sample : trace.samples) {
      if (sample.seen <= at_seconds(20.0) || sample.seen > at_seconds(2945.0)) continue;
      EXPECT_LT(sample.seen - sample.before, std::chrono::milliseconds(3));
    }
    for (const CondensedStretch& stretch : trace.condensed) {
      EXPECT_LT(stretch.begin, stretch.end);
      EXPECT_LT(stretch.longest_silence, std::chrono::milliseconds(3));
    }
    for (const Gap& gap : trace.gaps) {
      EXPECT_TRUE(gap.end <= at_seconds(20.5) || gap.end >= at_seconds(2939.0));
    }
  }
}

TEST(Condense, RemembersThatNobodyLooked) {
  for (const SourceKind kind :
       {SourceKind::energy_counter, SourceKind::power_instant, SourceKind::power_samples}) {
    Trace trace = power_trace(300.0);
    trace.source.kind = kind;
    for (std::size_t i = 0; i < trace.samples.size(); ++i) {
      trace.samples[i].value = static_cast<double>(i);
    }
    // A poller that was stopped for 3 s.
    const auto first = trace.samples.begin() + 7000;
    first[150].before = first[-1].seen;
    trace.samples.erase(first, first + 150);
    for (int repeat = 0; repeat < 2; ++repeat) condense(trace, at_seconds(20.0), at_seconds(280.0));
    Nanoseconds longest{0};
    for (const CondensedStretch& stretch : trace.condensed) {
      longest = std::max(longest, stretch.longest_silence);
    }
    for (const Sample& sample : trace.samples) {
      longest = std::max(longest, sample.seen - sample.before);
    }
    EXPECT_GE(longest, std::chrono::seconds(3));
  }
}

TEST(Condense, ProductsTellAWaveFromNoise) {
  Trace trace = power_trace(300.0);
  for (std::size_t i = 0; i < trace.samples.size(); ++i) {
    trace.samples[i].value = i % 5 == 0 ? 400.0 : 100.0;
  }
  condense(trace, at_seconds(20.0), at_seconds(280.0));
  ASSERT_FALSE(trace.condensed.empty());
  for (const CondensedStretch& stretch : trace.condensed) {
    ASSERT_EQ(stretch.products.size(), 61U);
    EXPECT_NEAR(stretch.products[5] / stretch.products[0], 1.0, 0.02);
    EXPECT_LT(stretch.products[3], 0.0);
    EXPECT_EQ(stretch.lowest_w, 100.0);
    EXPECT_EQ(stretch.highest_w, 400.0);
  }
}

TEST(Condense, LeavesShortStretchesAlone) {
  const Trace whole = power_trace(1.0);
  Trace trace = whole;
  condense(trace, at_seconds(0.1), at_seconds(0.13));
  EXPECT_EQ(trace.samples.size(), whole.samples.size());
  EXPECT_TRUE(trace.condensed.empty());
}

TEST(Condense, LeavesAThousandRowsOfHealthAndAllChangesOfLimits) {
  std::vector<HealthSample> health;
  for (int i = 0; i < 10000; ++i) {
    health.push_back({.time = at_seconds(i), .clocks_event_reasons = i == 4321 ? 4U : 0U});
  }
  thin_out(health, at_seconds(50.0), at_seconds(9950.0));
  EXPECT_GE(health.size(), 51U + 900 + 50);
  EXPECT_LE(health.size(), 51U + 1010 + 50);
  EXPECT_EQ(health[50].time, at_seconds(50.0));
  EXPECT_EQ(health.back().time, at_seconds(9999.0));
  const auto limited = std::find_if(health.begin(), health.end(), [](const HealthSample& one) {
    return one.clocks_event_reasons == 4U;
  });
  ASSERT_NE(limited, health.end());
  EXPECT_EQ(limited->time, at_seconds(4321.0));
  EXPECT_EQ(std::next(limited)->time, at_seconds(4322.0));
}

}  // namespace
}  // namespace truewatt
