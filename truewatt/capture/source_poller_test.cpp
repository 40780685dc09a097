#include "truewatt/capture/source_poller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace truewatt::capture {
namespace {

using namespace std::chrono_literals;
constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};

HostTime at(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }
double seconds(HostTime time) { return seconds_between(HostTime(), time); }

struct Driven {
  std::vector<Sample> samples;
  std::uint64_t polls = 0;
};

/// Polls value(t) until `until`, each call taking `cost`.
Driven drive(SourcePoller& poller, const std::function<double(double)>& value, double until,
             Nanoseconds cost = 1us) {
  Driven result;
  HostTime now = at(0.0);
  while (seconds(now) < until) {
    now = std::max(now, poller.next_poll());
    const HostTime begin = now;
    now += cost;
    if (auto sample = poller.on_value(begin, now, value(seconds(now)))) {
      result.samples.push_back(*sample);
    }
  }
  result.polls = poller.polls();
  return result;
}

double ticking(double t) { return std::floor((t - 0.03) / 0.1); }

TEST(SourcePoller, SeesEveryPublicationInANarrowBracket) {
  SourcePoller poller(kInstant, {});
  const Driven driven = drive(poller, ticking, 20.0);
  ASSERT_EQ(driven.samples.size(), 201U);  // 200 ticks and what was there at the start
  for (std::size_t i = 1; i < driven.samples.size(); ++i) {
    const double tick = 0.03 + 0.1 * static_cast<double>(i - 1);
    EXPECT_LT(seconds(driven.samples[i].before), tick + 1e-9);
    EXPECT_GE(seconds(driven.samples[i].seen), tick - 1e-9);
    EXPECT_LE(driven.samples[i].seen - driven.samples[i].before, 1100us) << i;
  }
}

TEST(SourcePoller, PollsOnlyNearTheTickOnceItIsLearned) {
  SourcePoller poller(kInstant, {});
  const Driven driven = drive(poller, ticking, 60.0);
  // 600 ticks; a millisecond's learning at first, then a handful of polls each.
  EXPECT_LT(driven.polls, 600U * 10U + 700U);
}

TEST(SourcePoller, AsksAnExpensiveSourceTwiceATick) {
  SourcePoller poller(kCounter, {});
  const Driven driven = drive(poller, ticking, 60.0, 2300us);
  EXPECT_GE(driven.samples.size(), 598U);
  EXPECT_LT(driven.polls, 600U * 5U / 2U + 100U);
  // Two calls and the guard, which is no more than two: brackets do not grow with those before
  // them.
  for (std::size_t i = 20; i < driven.samples.size(); ++i) {
    EXPECT_LE(driven.samples[i].seen - driven.samples[i].before, 4 * 2300us) << i;
  }
}

TEST(SourcePoller, FindsTheTickAgainAfterARest) {
  SourcePoller poller(kCounter, {});
  HostTime now = at(0.0);
  int rests = 0;
  int narrow = 0;
  while (seconds(now) < 120.0) {
    now = std::max(now, poller.next_poll());
    const HostTime begin = now;
    now += 2300us;
    const bool rested = poller.resting_since().has_value();
    const auto sample = poller.on_value(begin, now, ticking(seconds(now)));
    if (sample && !rested && sample->seen - sample->before <= 4 * 2300us) ++narrow;
    if (seconds(now) < 2.0 || !poller.is_between_ticks()) continue;
    poller.rest_until(now + 3s);
    ++rests;
  }
  EXPECT_NEAR(rests, 39, 2);
  EXPECT_GE(narrow, rests * 8 / 10);
  EXPECT_GE(poller.tick_cost(), 2 * 2300us);
  EXPECT_LE(poller.tick_cost(), 3 * 2300us);
}

TEST(SourcePoller, IsWokenBeforeItsRestEnds) {
  SourcePoller poller(kCounter, {});
  const Driven driven = drive(poller, ticking, 5.0, 2300us);
  ASSERT_FALSE(driven.samples.empty());
  poller.rest_until(at(20));
  EXPECT_GE(poller.next_poll(), at(20));
  poller.wake(at(6));
  EXPECT_EQ(poller.next_poll(), at(6));
  poller.on_value(at(6), at(6.0023), ticking(6.0));
  EXPECT_FALSE(poller.resting_since());
  EXPECT_LT(poller.next_poll(), at(6.11));
}

TEST(SourcePoller, FoldsTheDoubleValueOfARefresh) {
  SourcePoller poller(kInstant, {});
  double last_tick = -1;
  const Driven driven = drive(
      poller,
      [&](double t) {
        const double tick = ticking(t);
        const bool refreshed = tick != last_tick;
        last_tick = tick;
        return refreshed ? tick + 0.5 : tick;
      },
      10.0);
  ASSERT_GE(driven.samples.size(), 100U);
  for (const Sample& sample : driven.samples) {
    EXPECT_DOUBLE_EQ(sample.value, std::floor(sample.value));
  }
}

TEST(SourcePoller, LearnsAgainWhenThePhaseJumps) {
  SourcePoller poller(kInstant, {});
  const Driven driven = drive(
      poller, [](double t) { return ticking(t < 10 ? t : t + 0.037); }, 20.0);
  const auto wide = std::count_if(driven.samples.begin() + 1, driven.samples.end(),
                                  [](const Sample& s) { return s.seen - s.before > 2ms; });
  EXPECT_LE(wide, 3);
  EXPECT_GE(driven.samples.size(), 199U);
}

TEST(SourcePoller, LeavesAConstantSourceMostlyAlone) {
  SourcePoller poller(kInstant, {});
  const Driven driven = drive(
      poller, [](double) { return 55.0; }, 60.0);
  EXPECT_EQ(driven.samples.size(), 1U);
  EXPECT_LT(driven.polls, 10000U);
}

TEST(SourcePoller, MaxModeNeverRests) {
  SourcePoller poller(kInstant, {.mode = PollMode::max});
  const Driven driven = drive(poller, ticking, 1.0, 283us);
  EXPECT_GT(driven.polls, 3500U);
}

TEST(SourcePoller, WaitsAWhileAfterAFailure) {
  SourcePoller poller(kInstant, {});
  poller.on_failure(at(1.0), at(1.001));
  EXPECT_GE(poller.next_poll(), at(1.05));
}

}  // namespace
}  // namespace truewatt::capture
