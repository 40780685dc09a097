#include "truewatt/ticks/ticks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "truewatt/testing/test_traces.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::ticks {
namespace {

TEST(UpdatePeriod, IsNotBiasedByEqualValues) {
  // Half of all publications repeat the value before and cannot be seen.
  std::mt19937 rng(3);
  std::vector<Tick> ticks;
  for (int k = 0; k < 300; ++k) {
    if (k > 2 && rng() % 2 == 0) continue;
    ticks.push_back({0.1 * k, 1e-4, 0.0});
  }
  const auto period = update_period(ticks);
  ASSERT_TRUE(period);
  EXPECT_NEAR(period->value, 0.1, 1e-9);
}

/// Share of 400 records of 100 ticks, 0.1 s apart but for what `late` adds, whose interval
/// holds the period. `late` is made anew for each record and may remember what it drew.
double covered_share(const std::function<std::function<double(std::mt19937&)>()>& new_record) {
  constexpr int kRecords = 400;
  int covered = 0;
  for (int record = 0; record < kRecords; ++record) {
    std::mt19937 rng(static_cast<unsigned>(record));
    const auto late = new_record();
    std::vector<Tick> ticks;
    for (int k = 0; k < 100; ++k) ticks.push_back({0.1 * k + late(rng), 0.0, 0.0});
    const auto period = update_period(ticks);
    covered += period && period->lower <= 0.1 && 0.1 <= period->upper ? 1 : 0;
  }
  return covered / static_cast<double>(kRecords);
}
constexpr double kThreeBinomialSd = 0.035;  // of 400 at 95 %

TEST(UpdatePeriod, IntervalCoversUnderJitter) {
  const double share = covered_share([] {
    return [jitter = std::normal_distribution<double>(0.0, 0.002)](std::mt19937& rng) mutable {
      return jitter(rng);
    };
  });
  EXPECT_NEAR(share, 0.95, kThreeBinomialSd);
}

TEST(UpdatePeriod, IntervalCoversWhenTheTickWanders) {
  const double share = covered_share([] {
    return [step = std::normal_distribution<double>(0.0, 0.001),
            phase = 0.0](std::mt19937& rng) mutable { return phase += step(rng); };
  });
  EXPECT_NEAR(share, 0.95, kThreeBinomialSd);
}

TEST(UpdatePeriod, SaysNothingOfTooFewTicks) {
  EXPECT_FALSE(update_period({{0.0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}}));
}

/// Ticks every 20 ms behind polls 7 ms and sometimes much more apart, like those of a V100's log:
/// an interval between the middles of brackets is often off by more than half of the period.
std::vector<Tick> ticks_behind_slow_polls(unsigned seed) {
  std::mt19937 rng(seed);
  std::exponential_distribution<double> late(1.0 / 0.0015);
  std::vector<Tick> ticks;
  double before = 0.0;
  double seen = 0.0;
  for (int k = 1; k <= 2000; ++k) {
    const double tick = 0.02 * k + 0.0001 * seed;
    if (tick <= seen) continue;  // two in one bracket
    while (seen < tick) {
      before = seen;
      seen += 0.007 + late(rng);
    }
    ticks.push_back({(before + seen) / 2, (seen - before) / std::sqrt(12.0), 1.0 * k});
  }
  return ticks;
}

TEST(UpdatePeriod, IsFoundBehindPollsOfHalfOfIt) {
  int covered = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto period = update_period(ticks_behind_slow_polls(seed));
    ASSERT_TRUE(period);
    EXPECT_NEAR(period->value, 0.02, 1e-5) << seed;
    covered += period->lower <= 0.02 && 0.02 <= period->upper ? 1 : 0;
  }
  EXPECT_GE(covered, 34);  // of 40 at 95 %: fewer once in 250 times
}

/// Stamps of an H200's ring: up to 2 ms late, and every fifth 10 to 12 ms late.
std::vector<Tick> stamps_of_a_ring() {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> late(0.0, 2e-3);
  std::vector<Tick> stamps;
  for (int k = 0; k < 400; ++k) {
    stamps.push_back({0.02 * k + late(random) + (k % 5 == 3 ? 0.0102 : 0.0), 0.0, 1.0 * k});
  }
  return stamps;
}

TEST(UpdatePeriod, IsNotThatOfThePollsThatShowedIt) {
  std::mt19937_64 rng(5);
  std::exponential_distribution<double> late(1 / 0.002);
  std::vector<Tick> ticks;
  double poll = 0.0;
  double last = -1.0;
  for (int i = 0; i < 400; ++i) {
    const double next = poll + 0.05 + late(rng);
    const double published = std::floor(next / 0.1);
    if (published != last) {
      ticks.push_back({(poll + next) / 2, (next - poll) / std::sqrt(12.0), published});
    }
    last = published;
    poll = next;
  }
  const auto period = update_period(ticks);
  ASSERT_TRUE(period);
  EXPECT_NEAR(period->value, 0.1, 0.003);
}

TEST(UpdatePeriod, IsNotLostToReadingsThatAreStampedLate) {
  const auto period = update_period(stamps_of_a_ring());
  ASSERT_TRUE(period);
  EXPECT_NEAR(period->value, 0.02, 5e-6);
  EXPECT_LT(period->upper - period->lower, 100e-6);
  EXPECT_LE(period->lower, 0.02);
  EXPECT_GE(period->upper, 0.02);
}

TEST(RingTicks, TwoThatAreLateInARowHaveTheirOwnPlaces) {
  std::vector<Tick> stamps;
  for (int k = 0; k < 100; ++k) {
    const double late = k % 20 == 11 || k % 20 == 12 ? 0.011 : 0.0;
    stamps.push_back({0.02 * k + late, 0.0, 1.0 * k});
  }
  const std::vector<Tick> ticks = ring_ticks(stamps, 0.02);
  for (int k = 0; k < 100; ++k) {
    EXPECT_NEAR(ticks[static_cast<std::size_t>(k)].time, 0.02 * k, 1e-6) << k;
  }
}

TEST(RingTicks, StandOnTheirGrid) {
  const std::vector<Tick> ticks = ring_ticks(stamps_of_a_ring(), 0.02);
  const double first = ticks.front().time;
  for (std::size_t k = 0; k < ticks.size(); ++k) {
    EXPECT_NEAR(ticks[k].time - first, 0.02 * static_cast<double>(k), 0.2e-3) << k;
  }
}

TEST(OnGrid, CountsTicksThatSlowPollsBracket) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto ticks = ticks_behind_slow_polls(seed);
    // A period that is known a little wrong must not matter.
    const auto regular = on_grid(ticks, 0.02001);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      // A bracket longer than the period holds two ticks of the grid.
      if (std::sqrt(12.0) * ticks[i].time_sd > 0.0195) continue;
      const double truth = 0.02 * ticks[i].value + 0.0001 * seed;
      ASSERT_NEAR(regular[i].time, truth, 6e-4) << seed;
    }
  }
}

// As an H200's ring: one stamp in five is 3 ms late, one in forty 10 ms.
TEST(BetweenStampAndGrid, HoldsBothInABracketThatLateStampsDoNotMove) {
  std::vector<Tick> ticks;
  const auto late = [](int k) { return k % 40 == 7 ? 10e-3 : k % 5 == 3 ? 3e-3 : 0.0; };
  for (int k = 0; k < 400; ++k) ticks.push_back({0.02 * k + late(k), 0.0, 1.0 * k});
  const auto between = between_stamp_and_grid(ticks, 0.02);
  ASSERT_EQ(between.size(), ticks.size());
  for (int k = 0; k < 400; ++k) {
    const Tick& tick = between[static_cast<std::size_t>(k)];
    EXPECT_NEAR(tick.time, 0.02 * k + late(k) / 2, 0.1e-3) << k;
    EXPECT_NEAR(tick.time_sd, late(k) / std::sqrt(12.0), 0.1e-3) << k;
    EXPECT_EQ(tick.value, k);
  }
}

TEST(Publications, FoldTheSecondValueOfARefresh) {
  Trace trace = make_trace(kInstant, 1.0, 3.0, 0.1, step_power(1.5, 2.0));
  std::vector<Sample> doubled;
  for (const Sample& sample : trace.samples) {
    doubled.push_back({sample.before, sample.seen, std::nullopt, sample.value + 7});
    doubled.push_back({sample.seen, sample.seen + Nanoseconds(1000), std::nullopt, sample.value});
  }
  doubled.erase(doubled.begin());
  trace.samples = doubled;
  const auto ticks = publications(trace, at(0));
  ASSERT_EQ(ticks.size(), 22U);
  EXPECT_NEAR(ticks[1].time, 1.0, 1e-9);
  for (const Tick& tick : ticks) EXPECT_TRUE(tick.value == 100.0 || tick.value == 300.0);
}

TEST(Publications, PlaceTheFirstValueOnTheGrid) {
  // Polling begins at 0.95; the value it finds there was published at 0.9.
  const auto ticks = publications(make_trace(kCounter, 1.0, 3.0, 0.1, step_counter(1.5, 2)), at(0));
  EXPECT_NEAR(ticks.front().time, 0.9, 1e-6);
  EXPECT_NEAR(ticks.front().value, 1090.0, 1e-9);
}

}  // namespace
}  // namespace truewatt::ticks
