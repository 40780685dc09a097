#include "truewatt/energy/padded_stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

constexpr double kStreamPeriod = 0.1;

/// A source polled every 2 ms: readings that go up and down at random within the window, steady
/// idle beside it; a counter of the same power.
std::vector<Poll> polls_of(const PaddedInput& input, bool is_counter, unsigned seed = 1) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> level(200.0, 400.0);
  std::normal_distribution<double> noise(0.0, 0.2);
  std::vector<Poll> polls;
  double joules = 0.0;
  double shown = 100.0;
  long shown_tick = -1;
  const double until = input.end + 12.0;
  for (double t = 0.0; t < until; t += 0.002) {
    const long tick = std::lround(std::floor((t + 0.0013) / kStreamPeriod));
    if (tick != shown_tick) {
      const bool works = t > input.begin && t <= input.end + kStreamPeriod;
      const double power = (works ? level(rng) : 100.0) + noise(rng);
      joules += power * kStreamPeriod;
      shown = is_counter ? joules : power;
      shown_tick = tick;
    }
    polls.push_back({t, t + 0.0004, shown});
  }
  return polls;
}

std::vector<Tick> ticks_of(const std::vector<Poll>& polls) {
  std::vector<Tick> ticks;
  for (std::size_t i = 1; i < polls.size(); ++i) {
    if (polls[i].value == polls[i - 1].value) continue;
    const double width = polls[i].time - polls[i - 1].before;
    ticks.push_back({polls[i - 1].before + width / 2, width / std::sqrt(12.0), polls[i].value});
  }
  return ticks;
}

PaddedInput window_of(double length) {
  PaddedInput input;
  input.begin = 3.0;
  input.end = 3.0 + length;
  input.update_period = kStreamPeriod;
  input.averaging_window = 0.025;
  input.quantum = 0.001;
  return input;
}

void expect_same(const PaddedEnergy& streamed, const PaddedEnergy& whole) {
  EXPECT_NEAR(streamed.gross_j.value, whole.gross_j.value, 1e-9 * whole.gross_j.value);
  EXPECT_NEAR(streamed.net_j.value, whole.net_j.value, 1e-9 * whole.gross_j.value);
  ASSERT_EQ(streamed.budget.size(), whole.budget.size());
  for (std::size_t i = 0; i < whole.budget.size(); ++i) {
    EXPECT_EQ(streamed.budget[i].term, whole.budget[i].term);
    EXPECT_NEAR(streamed.budget[i].standard_uncertainty.value(),
                whole.budget[i].standard_uncertainty.value(),
                1e-6 * whole.gross_j.standard_uncertainty)
        << whole.budget[i].term;
  }
}

TEST(PaddedStream, SaysWhatTheWholeTraceSays) {
  for (const double length : {4.0, 60.0, 600.0}) {
    const PaddedInput input = window_of(length);
    const auto polls = polls_of(input, false);
    PaddedStream stream(input, false);
    stream.push(polls);
    const auto streamed = stream.energy();
    const auto whole = padded_sum(ticks_of(polls), input);
    ASSERT_TRUE(streamed) << length;
    ASSERT_TRUE(whole) << length;
    expect_same(*streamed, *whole);
  }
}

TEST(PaddedStream, OfACounterLikewise) {
  for (const double length : {4.0, 600.0}) {
    PaddedInput input = window_of(length);
    const auto polls = polls_of(input, true);
    PaddedStream stream(input, true);
    stream.push(polls);
    const auto streamed = stream.energy();
    const auto whole = counter_difference(ticks_of(polls), input);
    ASSERT_TRUE(streamed) << length;
    ASSERT_TRUE(whole) << length;
    EXPECT_NEAR(streamed->gross_j.value, whole->gross_j.value, 1e-9 * whole->gross_j.value);
  }
}

TEST(PaddedStream, TakesTheSameMemoryHoweverLong) {
  for (const double length : {60.0, 6000.0}) {
    const PaddedInput input = window_of(length);
    PaddedStream stream(input, false);
    std::size_t kept = 0;
    for (const Poll& poll : polls_of(input, false)) {
      stream.push({&poll, 1});
      kept = std::max(kept, stream.kept());
    }
    EXPECT_LT(kept, 1000U) << length;
  }
}

TEST(PaddedStream, MayLearnOfTheEndWhenItComes) {
  const PaddedInput known = window_of(60.0);
  PaddedInput open = known;
  open.end = std::numeric_limits<double>::infinity();
  PaddedStream stream(open, false);
  for (const Poll& poll : polls_of(known, false)) {
    if (poll.time >= known.end) stream.end_at(known.end);
    stream.push({&poll, 1});
  }
  PaddedStream told(known, false);
  told.push(polls_of(known, false));
  ASSERT_TRUE(stream.energy());
  expect_same(*stream.energy(), *told.energy());
}

TEST(PaddedStream, FoldsTheTwoValuesOfARefresh) {
  const PaddedInput input = window_of(10.0);
  const auto polls = polls_of(input, false);
  std::vector<Poll> doubled;
  double last = std::nan("");
  for (const Poll& poll : polls) {
    if (poll.value != last) doubled.push_back({poll.before, poll.time - 1e-4, poll.value + 30.0});
    last = poll.value;
    doubled.push_back(poll);
  }
  PaddedStream once(input, false);
  once.push(polls);
  PaddedStream twice(input, false);
  twice.push(doubled);
  ASSERT_TRUE(twice.energy());
  EXPECT_NEAR(twice.energy()->gross_j.value, once.energy()->gross_j.value,
              1e-3 * once.energy()->gross_j.value);
}

TEST(PaddedStream, SaysWhatIsMissing) {
  PaddedStream empty(window_of(4.0), false);
  EXPECT_FALSE(empty.energy());
  PaddedStream reset(window_of(4.0), true);
  auto polls = polls_of(window_of(4.0), true);
  for (std::size_t i = polls.size() / 3; i < polls.size(); ++i) polls[i].value -= 300.0;
  reset.push(polls);
  ASSERT_FALSE(reset.energy());
  EXPECT_EQ(reset.energy().error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::energy
