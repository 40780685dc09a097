#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/energy/observe/placed_readings.hpp"
#include "truewatt/energy/observe/sensor_behaviour.hpp"
#include "truewatt/testing/test_traces.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::energy {
namespace {

constexpr double kMost = 3000.0;  // W

Recording of(std::vector<Trace> traces) {
  Recording recording;
  recording.traces = std::move(traces);
  return recording;
}

// A driver stamps every sixth reading 3 to 15 ms late, whose value is that of its tick.
TEST(PlacedReadings, PutALateStampOnItsTick) {
  Trace ring{.source = kRing, .begin = at(0), .end = at(10)};
  for (int k = 0; k < 500; ++k) {
    const double late = k % 6 == 5 ? 0.003 + 0.0012 * (k % 11) : 0.0;
    const double stamp = 0.1 + 0.02 * k + late;
    ring.samples.push_back({at(stamp), at(stamp), std::nullopt, 100.0 + k});
  }
  const Placed placed = placed_readings(ring, at(0), 0.0, kMost);
  ASSERT_EQ(placed.readings.size(), 500U);
  for (int k = 0; k < 500; ++k) {
    EXPECT_NEAR(placed.readings[static_cast<std::size_t>(k)].time, 0.1 + 0.02 * k, 0.5e-3) << k;
  }
}

// What a cache of the driver's client shows first is of the call that shows it, however long nobody
// had asked.
TEST(PlacedReadings, ByCallAreOfTheirCalls) {
  Trace power{.source = kInstant, .begin = at(0), .end = at(2), .polls = 400};
  for (const double t : {0.1, 0.2, 0.3, 0.4}) {
    power.samples.push_back(
        {at(t - 0.02), at(t), std::nullopt, 100.0 + t, std::chrono::milliseconds(1)});
  }
  const Placed by_call = placed_readings(power, at(0), 0.1, kMost, true);
  EXPECT_NEAR(by_call.readings[2].time, 0.2995, 1e-9);
  EXPECT_NEAR(by_call.readings[2].time_sd, 0.001 / std::sqrt(12.0), 1e-9);
  EXPECT_NEAR(placed_readings(power, at(0), 0.1, kMost).readings[2].time, 0.29, 1e-9);
}

// A value that stood for three updates was published three times.
TEST(PlacedReadings, RepeatAHeldValue) {
  Trace power{.source = kInstant, .begin = at(0), .end = at(2), .polls = 400};
  for (const double t : {0.1, 0.2, 0.3, 0.4, 0.8, 0.9, 1.0, 1.1}) {
    power.samples.push_back({at(t - 0.005), at(t), std::nullopt, 100.0 + t});
  }
  const Placed placed = placed_readings(power, at(0), 0.1, kMost);
  EXPECT_NEAR(static_cast<double>(placed.readings.size()), 19.0, 1.0);
}

// One poll without an answer does not take the others of a plateau with it.
TEST(PlacedReadings, RepeatAHeldValueBesideAGap) {
  Trace power{.source = kInstant, .begin = at(0), .end = at(20), .polls = 20};
  for (const double t : {1.0, 2.0, 3.0, 16.0, 17.0, 18.0, 19.0, 20.0}) {
    power.samples.push_back({at(t - 1), at(t), std::nullopt, 100.0 + t});
  }
  power.gaps.push_back({at(7), at(9), "no answer"});
  const Placed placed = placed_readings(power, at(0), 0.1, kMost);
  const auto within = [&placed](double begin, double end) {
    return std::count_if(placed.readings.begin(), placed.readings.end(),
                         [&](const auto& one) { return one.time > begin && one.time < end; });
  };
  EXPECT_EQ(within(7, 9), 0);
  EXPECT_GE(within(3, 7), 4);
  EXPECT_GE(within(9, 16), 6);
}

// A plateau shows one value: a sensor that was watched closely and showed two others 0.4 s apart
// may publish as seldom as that.
TEST(PlacedReadings, PublishAsSeldomAsTwoValuesCame) {
  Trace power{.source = kInstant, .begin = at(0), .end = at(8), .polls = 4000};
  double before = 0.0;
  for (const auto& [t, watts] : {std::pair(0.0, 60.0), {2.0, 210.0}, {2.4, 360.0}, {6.8, 90.0}}) {
    power.samples.push_back({at(before), at(t), std::nullopt, watts});
    before = t - 0.002;
  }
  EXPECT_NEAR(placed_readings(power, at(0), 0.0, kMost).sensor_period, 0.4, 0.01);
  EXPECT_NEAR(placed_readings(power, at(0), 0.1, kMost).sensor_period, 0.1, 1e-9) << "it is known";
}

// One that goes from level to level at once looks for a moment, or shows no noise at all: when its
// values came is not well known, but what they show is no mean over the time between them.
TEST(PlacedReadings, OfASensorWithoutNoiseStandForTheMomentsThatItShowsThem) {
  Trace power{.source = kInstant, .begin = at(0), .end = at(8), .polls = 4000};
  double before = 0.0;
  for (const auto& [t, watts] : {std::pair(0.0, 60.0), {2.0, 360.0}, {2.6, 60.0}}) {
    power.samples.push_back({at(before), at(t), std::nullopt, watts});
    before = t - 0.002;
  }
  const Placed placed = placed_readings(power, at(0), 0.0, kMost);
  EXPECT_NEAR(placed.sensor_period, 0.1, 1e-9);
  EXPECT_NEAR(placed.alike_sd, (0.6 - 0.1) / 2, 0.01);
  EXPECT_NEAR(placed.readings.back().time_sd, (0.6 - 0.1) / std::sqrt(12.0), 0.01);
}

TEST(PlacedReadings, AreMultiplesOfTheirStep) {
  const auto quantum = [](const std::vector<double>& watts) {
    Trace power{.source = kInstant, .begin = at(0), .end = at(8), .polls = 80};
    double t = 0.0;
    for (const double w : watts) {
      power.samples.push_back({at(t), at(t + 0.1), std::nullopt, w});
      t += 0.1;
    }
    return placed_readings(power, at(0), 0.1, kMost).quantum;
  };
  EXPECT_NEAR(quantum({50, 75, 350, 325, 350, 50}), 25.0, 1e-9);
  EXPECT_NEAR(quantum({60, 65, 350, 325, 350, 60}), 5.0, 1e-9);
  EXPECT_NEAR(quantum({60.25, 65.5, 350.75, 60.0}), 0.25, 1e-9);
  EXPECT_NEAR(quantum({50, 350, 50, 350}), 10.0, 1e-9) << "two values may be so by chance";
  EXPECT_NEAR(quantum({60.001, 61.007, 62.013, 70.2}), 0.001, 1e-12);
}

// What a counter adds up may be as old as half of its tick, or come as much before it.
TEST(Observe, ACounterThatNobodyKnowsMayCountEarlyOrLate) {
  for (const double tick : {0.1, 1.0}) {
    const Trace counter = make_trace(kCounter, 0.1, 30.0, tick, [](double t) { return 200.0 * t; });
    const ObservedBoard board = observe(of({counter}), {});
    ASSERT_EQ(board.sources.size(), 1U);
    EXPECT_NEAR(board.sources[0].age_sd, tick / 4, tick / 40);
  }
}

// Rows as far apart as ticks see all of these equally late; fast polls do not.
TEST(PlacedReadings, OfALogMayBeLateAlike) {
  for (const double apart : {0.1, 1.0}) {
    Trace power{.source = kInstant, .begin = at(0), .end = at(100 * apart), .polls = 101};
    for (int k = 1; k <= 100; ++k) {
      power.samples.push_back(
          {at((k - 1) * apart), at(k * apart), std::nullopt, 100.0 + 0.37 * (k * k % 31)});
    }
    EXPECT_NEAR(placed_readings(power, at(0), 0.0, kMost).alike_sd, 0.1 / std::sqrt(12.0), 1e-9);
  }
  Trace fast{.source = kInstant, .begin = at(0), .end = at(10), .polls = 2000};
  for (int k = 1; k <= 100; ++k) {
    fast.samples.push_back(
        {at(0.1 * k - 0.005), at(0.1 * k), std::nullopt, 100.0 + 0.37 * (k * k % 31)});
  }
  EXPECT_EQ(placed_readings(fast, at(0), 0.0, kMost).alike_sd, 0.0);
}

// A counter's rows move slowly past its ticks: those in a row err alike. Fast polls tell its grid.
TEST(PlacedReadings, CountsInARowOfALogErrAlike) {
  for (const double apart : {0.05, 0.1, 1.0}) {
    Trace counter{.source = {SourceKind::energy_counter, Scope::gpu},
                  .begin = at(0),
                  .end = at(100 * apart),
                  .polls = 101};
    for (int k = 1; k <= 100; ++k) {
      counter.samples.push_back({at((k - 1) * apart), at(k * apart), std::nullopt, 100.0 * k});
    }
    EXPECT_NEAR(placed_readings(counter, at(0), 0.1, kMost).drift_sd,
                std::min(apart, 0.1) / std::sqrt(12.0), 1e-9);
  }
  Trace fast{.source = {SourceKind::energy_counter, Scope::gpu},
             .begin = at(0),
             .end = at(10),
             .polls = 2000};
  for (int k = 1; k <= 100; ++k) {
    fast.samples.push_back({at(0.1 * k - 0.005), at(0.1 * k), std::nullopt, 10.0 * k});
  }
  EXPECT_EQ(placed_readings(fast, at(0), 0.0, kMost).drift_sd, 0.0);
}

// A ramp seen once a second would leave a filter of tens of seconds open.
TEST(Observe, NoSensorIsTakenForSlowerThanASecond) {
  std::vector<double> ramp;
  for (int k = 0; k < 60; ++k) ramp.push_back(50.0 + 5.0 * k);
  EXPECT_EQ(slowest_filter(ramp, 1.0), 1.0);
}

// Rows a second apart, some without a reading, tell nothing of half a second.
TEST(PlacedReadings, RowsWithoutReadingsAreNoPeriod) {
  Trace power{.source = kInstant, .begin = at(0), .end = at(300), .polls = 271};
  std::minstd_rand chance(3);
  double last = 0.0;
  for (int k = 1; k <= 300; ++k) {
    if (chance() % 10 == 0) continue;
    const double value = 37.0 + static_cast<double>(chance() % 3);
    const bool is_new = power.samples.empty() || power.samples.back().value != value;
    if (is_new) power.samples.push_back({at(last), at(k), std::nullopt, value});
    last = k;
  }
  const auto ticks = ticks::update_period(ticks::publications(power, at(0)));
  ASSERT_TRUE(ticks);
  EXPECT_NEAR(ticks->value, 0.5, 0.01);  // the middle between two rows, one of them empty
  EXPECT_FALSE(seen_period(power, at(0)));
}

// A first count whose call was under way when the next came is of the tick before that; it also is
// where the poller was kept waiting, so that the grid does not tell where in the call a tick was.
TEST(PlacedReadings, AFirstCountIsOfTheTickBeforeTheNext) {
  for (const double second_poll : {0.005, 0.025}) {
    Trace counter{.source = kCounter, .begin = at(0), .end = at(2), .polls = 400};
    const std::chrono::milliseconds call(5);
    counter.samples.push_back({at(0.995), at(1.0), std::nullopt, 0.0, call});
    counter.samples.push_back({at(0.995), at(1.0 + second_poll), std::nullopt, 20.0, call});
    for (int k = 1; k < 20; ++k) {
      const double tick = 0.998 + 0.1 * k;
      counter.samples.push_back(
          {at(tick - 0.007), at(tick + 0.003), std::nullopt, 20.0 * (k + 1), call});
    }
    const std::vector<ObservedReading> readings =
        placed_readings(counter, at(0), 0.1, kMost).readings;
    EXPECT_NEAR(readings[0].time, 0.898, 0.015) << second_poll;
    EXPECT_NEAR(readings[1].time, 0.998, 0.015) << second_poll;
  }
}

// A count read alone, in a call during which the next tick came, is of that tick or of the one
// before it.
TEST(PlacedReadings, ACountShownAsATickComesIsOfEither) {
  Trace counter{.source = kCounter, .begin = at(0), .end = at(3), .polls = 400};
  const auto add = [&](double before, double seen, double count) {
    counter.samples.push_back(
        {at(before), at(seen), std::nullopt, count, std::chrono::milliseconds(6)});
  };
  for (int k = 0; k < 10; ++k) add(0.1 * k - 0.01, 0.1 * k, 20.0 * k);
  add(0.9, 1.998, 400.0);
  const ObservedReading alone = placed_readings(counter, at(0), 0.1, kMost).readings.back();
  EXPECT_NEAR(alone.time, 1.945, 1e-3);
  EXPECT_NEAR(alone.time_sd, 0.05, 1e-3);
}

// A count that leaps by what no board draws, or runs backwards, tells nothing; the next does.
TEST(PlacedReadings, LeaveOutImpossibleCounts) {
  Trace counter{.source = kCounter, .begin = at(0), .end = at(2), .polls = 400};
  double count = 1000.0;
  for (int k = 0; k < 20; ++k) {
    count += k == 7 ? 1e9 : k == 13 ? -500.0 : 20.0;
    const double t = 0.1 * k;
    counter.samples.push_back({at(t - 0.002), at(t), std::nullopt, count});
  }
  const Placed placed = placed_readings(counter, at(0), 0.1, kMost);
  double joules = 0.0;
  int firsts = 0;
  for (const ObservedReading& reading : placed.readings) {
    joules += reading.value;
    firsts += reading.is_first ? 1 : 0;
  }
  EXPECT_NEAR(joules, 17 * 20.0, 1e-6);
  EXPECT_EQ(firsts, 3);
}

Recording of(std::vector<Trace> traces);

// A counter that adds the mean of the last 30 ms every 100 ms knows nothing of the rest: its counts
// are such means. Read once a second, it counts.
TEST(Observe, ACounterThatAddsOneReadingAPeriodIsThatReading) {
  Profile profile;
  profile.sources.push_back(
      {.source = kCounter,
       .update_period_s = Interval{0.1, 0.1, 0.1, 0.95},
       .averaging_window_s = Interval{0.03, 0.03, 0.03, 0.95},
       .fitted = FittedModel{.averaging_window_s = {0.03, 0.03, 0.03, 0.95},
                             .age_s = {-0.035, -0.035, -0.035, 0.95}},
       .counter = CounterProfile{.counting = Counting::sampled, .inner_period_s = 0.1}});
  for (const int every : {1, 10}) {
    Trace counter{.source = kCounter, .begin = at(0), .end = at(10), .polls = 4000};
    for (int k = 0; k < 100; k += every) {
      const double t = 0.1 * (k + 1);
      counter.samples.push_back({at(t - 0.002), at(t), std::nullopt, 20.0 * k});
    }
    const ObservedBoard board = observe(of({counter}), {.profile = &profile});
    ASSERT_EQ(board.sources.size(), 1U);
    const ObservedSource& source = board.sources[0];
    EXPECT_EQ(source.look, every == 1 ? Look::average : Look::counter);
    if (every > 1) continue;
    EXPECT_NEAR(source.window, 0.03, 1e-9);
    ASSERT_EQ(source.readings.size(), 99U);
    for (const ObservedReading& reading : source.readings) EXPECT_NEAR(reading.value, 200.0, 1e-6);
  }
}

// A counter of which nobody knows anything may add up what the power sensor shows: where that rises
// in 0.2 s, so may what it counts.
TEST(Observe, ACounterMayBeAsSlowAsThePowerBesideIt) {
  const auto count = [](double t) { return 200.0 * t; };
  const Trace counter = make_trace(kCounter, 0.1, 8.0, 0.1, count);
  for (const double filter : {0.001, 0.2}) {
    const auto power = [filter](double t) {
      return 80.0 + (t > 3.0 ? 220.0 * (1 - std::exp(-(t - 3.0) / filter)) : 0.0);
    };
    const Trace instant = make_trace(kInstant, 0.1, 8.0, 0.02, power);
    const ObservedBoard board = observe(of({instant, counter}), {});
    ASSERT_EQ(board.sources.size(), 2U);
    const std::size_t at = board.sources[0].look == Look::counter ? 0 : 1;
    const ObservedSource& counts = board.sources[at];
    ASSERT_EQ(counts.look, Look::counter);
    if (filter < 0.01) {
      EXPECT_LT(counts.lag_sd, 0.01);
    } else {
      EXPECT_GT(2 * counts.lag_sd, 0.9 * filter);
    }
  }
}

// Stamps of whole seconds leave 1 s / sqrt(12) open; a host that was late with one of its pairs
// leaves nothing.
TEST(Observe, StampsAreCutWhereEveryPairOfClocksIsWide) {
  using std::chrono::milliseconds;
  const Trace power = make_trace(kInstant, 0.1, 8.0, 0.1, [](double t) { return 80.0 + t; });
  const auto age_sd = [&power](Nanoseconds first, Nanoseconds second) {
    Recording recording = of({power});
    recording.clock_pairs = {{at(0), DriverTime(at(0).time_since_epoch()), first},
                             {at(4), DriverTime(at(4).time_since_epoch()), second}};
    return observe(recording, {}).sources.at(0).age_sd;
  };
  const double own = observe(of({power}), {}).sources.at(0).age_sd;
  EXPECT_EQ(age_sd(milliseconds(50), milliseconds(0)), own);
  EXPECT_EQ(age_sd(milliseconds(0), milliseconds(50)), own);
  const double cut = 1 / std::sqrt(12.0);
  EXPECT_NEAR(age_sd(milliseconds(1000), milliseconds(1000)), std::hypot(own, cut), 1e-9);
}

TEST(Observe, ASourceThatShowsNoWattIsNoSource) {
  const ObservedBoard board =
      observe(of({make_trace(kInstant, 0.1, 8.0, 0.1, [](double) { return 0.0; })}), {});
  EXPECT_TRUE(board.sources.empty());
  ASSERT_EQ(board.dropped.size(), 1U);
  EXPECT_EQ(board.dropped[0].reason, Reason::no_usable_source);
}

TEST(Observe, KilowattsAreNoReadings) {
  const auto power = [](double t) { return t > 3.0 && t < 3.35 ? 42950.0 : 80.0 + t; };
  const ObservedBoard board = observe(of({make_trace(kInstant, 0.1, 8.0, 0.1, power)}), {});
  ASSERT_EQ(board.sources.size(), 1U);
  for (const ObservedReading& reading : board.sources[0].readings) EXPECT_LT(reading.value, 100.0);
}

// A poll that saw a count a little before its place on the grid, and of which nobody looked before:
// it is not of the tick before, which has a reading of its own.
TEST(Observe, ACountSeenBeforeItsTickIsNotOfTheTickBefore) {
  Recording recording;
  Trace counter{.source = kCounter};
  for (int i = 0; i < 100; ++i) {
    const double tick = 0.1 * i;
    const bool is_early = i == 50;
    const double seen = is_early ? tick - 0.001 : tick + 0.0005;
    const double before = is_early ? tick - 0.0995 : tick - 0.0005;
    counter.samples.push_back({at(before), at(seen), {}, 20.0 * i, {}});
  }
  counter.begin = counter.samples.front().before;
  counter.end = counter.samples.back().seen;
  recording.traces = {counter};
  const ObservedBoard board = observe(recording, {});
  ASSERT_EQ(board.sources.size(), 1U);
  const auto& readings = board.sources[0].readings;
  ASSERT_EQ(readings.size(), 100U);
  for (std::size_t i = 1; i < readings.size(); ++i) {
    EXPECT_NEAR(readings[i].time - readings[i - 1].time, 0.1, 0.01) << i;
  }
}

/// 60 W are 0.06 J a millisecond.
TEST(Observe, ACounterOfAMillisecondCountsThoughEachCountIsSmall) {
  Recording recording;
  Trace counter{.source = kCounter};
  for (int i = 0; i < 3000; ++i) {
    const double tick = 0.001 * i;
    counter.samples.push_back({at(tick - 0.0002), at(tick), {}, 0.06 * i, {}});
  }
  counter.begin = counter.samples.front().before;
  counter.end = counter.samples.back().seen;
  recording.traces = {counter};
  EXPECT_EQ(observe(recording, {}).sources.size(), 1U);
  for (Sample& sample : recording.traces[0].samples) sample.value = 1000.0;
  EXPECT_TRUE(observe(recording, {}).sources.empty());
}

}  // namespace
}  // namespace truewatt::energy
