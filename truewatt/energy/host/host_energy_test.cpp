#include "truewatt/energy/host/host_energy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

using testing::Contains;

constexpr SourceId kPackage{SourceKind::energy_counter, Scope::cpu};
constexpr SourceId kDram{SourceKind::energy_counter, Scope::memory};
constexpr SourceId kModule{SourceKind::power_average, Scope::module};

using Signal = std::function<double(double t_s)>;

HostTime host_at(double t_s) { return HostTime(to_nanoseconds(Seconds(t_s))); }
Window host_window(double begin, double end) { return {host_at(begin), host_at(end), "command"}; }

/// When a source is asked: evenly, but for stretches in which nobody could.
struct Asking {
  double from = 0.0;
  double to = 6.0;
  double every = 0.02;
  double silent_from = -1.0;
  double silent_to = -1.0;
};

/// A source that shows `shown`, asked so: a sample where what it shows changes.
Recording asked(SourceId source, const Signal& shown, const Asking& asking = {}) {
  Trace trace{source, host_at(asking.from), host_at(asking.to), {}, {}, 0};
  double before = asking.from;
  for (double t = asking.from; t < asking.to; t += asking.every) {
    if (t > asking.silent_from && t < asking.silent_to) continue;
    ++trace.polls;
    const double value = shown(t);
    if (trace.samples.empty() || trace.samples.back().value != value) {
      trace.samples.push_back({host_at(before), host_at(t), std::nullopt, value});
    }
    before = t;
  }
  return {.device = {.name = "host"}, .traces = {trace}};
}

/// A counter that shows `joules` as of its last tick.
Signal counter(const Signal& joules, double period = 0.001) {
  return [=](double t) { return joules(period * std::floor(t / period)); };
}

/// The mean of the 50 ms before the last tick, from a power's integral.
Signal mean_of(const Signal& joules, double phase = 0.0) {
  return [=](double t) {
    const double tick = phase + 0.05 * std::floor((t - phase) / 0.05);
    return (joules(tick) - joules(tick - 0.05)) / 0.05;
  };
}

/// 40 W, and 240 W from 2 s to 4 s.
double step_joules(double t) { return 40 * t + 200 * std::clamp(t - 2, 0.0, 2.0); }

double without_gain(const EnergyEstimate& estimate) {
  return estimate.energy.value().without_gain();
}

TEST(HostEnergy, OfACounterIsTheDifferenceOfItsCounts) {
  const Recording recording = asked(kPackage, counter(step_joules));
  const EnergyEstimate estimate = estimate_host_energy(recording, kPackage, host_window(1, 5));
  ASSERT_TRUE(estimate.energy);
  // A tick's energy at each edge: 40 W for 1 ms.
  EXPECT_NEAR(estimate.energy->interval.value, 560.0, 0.08);
  EXPECT_TRUE(estimate.valid);
  EXPECT_TRUE(estimate.resolved);
  // Asked every 20 ms, at 40 W: 0.8 to 1.6 J between the looks on both sides of an edge.
  EXPECT_LE(without_gain(estimate), std::sqrt(2.0) * 1.6 / std::sqrt(12.0) + 1e-9);
  EXPECT_NEAR(estimate.energy->gain_uncertainty, 0.05 * 560, 0.01);
  EXPECT_EQ(estimate.method, Method::count_difference);
  EXPECT_FALSE(estimate.net_energy) << "nobody keeps a CPU idle";
  EXPECT_THAT(estimate.reasons, Contains(Reason::uncalibrated_host));
}

TEST(HostEnergy, OfDramIsTrustedLess) {
  const Recording recording = asked(kDram, counter(step_joules));
  const auto energy = estimate_host_energy(recording, kDram, host_window(1, 5)).energy;
  EXPECT_NEAR(energy.value().gain_uncertainty, 0.10 * 560, 0.02);
}

TEST(HostEnergy, OfACounterIsHeldByItsEdgesWhereverTheyFall) {
  // Power that comes and goes within the looks; edges and a slow publisher at any phase.
  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int i = 0; i < 500; ++i) {
    const double period = 0.003 + 0.03 * uniform(rng);
    const double phase = uniform(rng);
    const Signal joules = [=](double t) {
      const double x = (t + phase) / period;
      return 30 * t + 300 * period * (std::floor(x) + std::min(1.0, 2 * (x - std::floor(x)))) / 2;
    };
    const Recording recording = asked(kPackage, counter(joules, 0.001 + 0.03 * uniform(rng)));
    const double begin = 0.5 + uniform(rng);
    const double end = begin + 0.2 + 2 * uniform(rng);
    const auto estimate = estimate_host_energy(recording, kPackage, host_window(begin, end));
    ASSERT_TRUE(estimate.energy);
    // Two edges, each within the bounds that its uncertainty stands for: their half-width is
    // sqrt(3) standard uncertainties, and what is interpolated lies within as well.
    const double error = estimate.energy->interval.value - (joules(end) - joules(begin));
    EXPECT_LE(std::abs(error), 2 * std::sqrt(6.0) * without_gain(estimate)) << i;
  }
}

TEST(HostEnergy, OfACounterCoversTheTruthAtTheStatedRate) {
  std::mt19937_64 rng(2);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int covered = 0;
  constexpr int kTrials = 1000;
  for (int i = 0; i < kTrials; ++i) {
    const double edge = 0.5 + uniform(rng);
    const double length = 0.1 + uniform(rng);
    const Signal joules = [=](double t) {
      return 50 * t + 250 * std::clamp(t - edge, 0.0, length);
    };
    const Recording recording =
        asked(kPackage, counter(joules), {.from = 0.02 * uniform(rng), .to = 3});
    const auto estimate =
        estimate_host_energy(recording, kPackage, host_window(edge, edge + length));
    const double error = estimate.energy.value().interval.value - 300 * length;
    covered += std::abs(error) <= kCoverageFactor95 * without_gain(estimate) ? 1 : 0;
  }
  EXPECT_GE(covered, 0.95 * kTrials);
}

TEST(HostEnergy, OfACounterNobodyAskedAfterwardsIsUnknown) {
  const Recording recording = asked(kPackage, counter(step_joules), {.to = 4.0});
  const EnergyEstimate estimate = estimate_host_energy(recording, kPackage, host_window(1, 4));
  EXPECT_FALSE(estimate.energy);
  EXPECT_THAT(estimate.reasons, Contains(Reason::no_readings_in_window));
}

TEST(HostEnergy, OfACounterThatStandsStillIsUnknownRatherThanZero) {
  const Recording recording = asked(kPackage, [](double) { return 5.0; });
  const EnergyEstimate estimate = estimate_host_energy(recording, kPackage, host_window(1, 4));
  EXPECT_FALSE(estimate.energy);
  EXPECT_THAT(estimate.reasons, Contains(Reason::no_readings_in_window));
}

TEST(HostEnergy, OfACounterThatGoesBackOrLeapsIsUnknown) {
  const auto back = [](double t) { return t < 3 ? 1000 + 100 * t : 100 * t; };
  // A reset that was taken for a wrap: the range is added.
  const auto leap = [](double t) { return 100 * t + (t < 3 ? 0 : 200000); };
  for (const Signal& joules : {Signal(back), Signal(leap)}) {
    const Recording recording = asked(kPackage, counter(joules));
    const auto inside = estimate_host_energy(recording, kPackage, host_window(1, 4));
    EXPECT_FALSE(inside.energy);
    EXPECT_FALSE(inside.valid);
    EXPECT_THAT(inside.reasons, Contains(Reason::counter_reset));
    const auto beside = estimate_host_energy(recording, kPackage, host_window(1, 2.5));
    EXPECT_NEAR(beside.energy.value().interval.value, 150.0, 0.2);
  }
}

TEST(HostEnergy, OfACounterMayRestButNotForAWholeWrap) {
  const Asking asking{.to = 200, .every = 0.05, .silent_from = 20, .silent_to = 50};
  const Recording rested = asked(kPackage, counter([](double t) { return 100 * t; }), asking);
  const auto after_rest = estimate_host_energy(rested, kPackage, host_window(10, 150));
  EXPECT_NEAR(after_rest.energy.value().interval.value, 14000, 0.3);
  EXPECT_TRUE(after_rest.valid);
  Asking longer = asking;
  longer.silent_to = 90;
  const Recording stopped = asked(kPackage, counter([](double t) { return 100 * t; }), longer);
  const auto after_stop = estimate_host_energy(stopped, kPackage, host_window(10, 150));
  EXPECT_FALSE(after_stop.energy);
  EXPECT_THAT(after_stop.reasons, Contains(Reason::gap_in_readings));
}

TEST(HostEnergy, OfAWindowWithinOneLookIsTooShort) {
  const Recording recording = asked(kPackage, counter(step_joules), {.every = 0.2});
  const EnergyEstimate estimate = estimate_host_energy(recording, kPackage, host_window(1.05, 1.1));
  EXPECT_FALSE(estimate.energy);
  EXPECT_THAT(estimate.reasons, Contains(Reason::window_too_short));
}

TEST(HostEnergy, OfMeansIsTheirSumAndSmoothPowerIsExact) {
  const Recording recording = asked(kModule, mean_of([](double t) { return 310 * t; }));
  const EnergyEstimate estimate = estimate_host_energy(recording, kModule, host_window(1, 4));
  ASSERT_TRUE(estimate.energy);
  EXPECT_NEAR(estimate.energy->interval.value, 930.0, 1e-6);
  EXPECT_EQ(estimate.method, Method::held_means);
  EXPECT_TRUE(estimate.valid);
}

TEST(HostEnergy, OfMeansThatStandForLongHoldsThem) {
  // Equal means in a row are one sample; the next covers its own 50 ms alone.
  const Recording recording =
      asked(kModule, mean_of([](double t) { return 100 * t + 300 * std::max(0.0, t - 3); }));
  const auto estimate = estimate_host_energy(recording, kModule, host_window(1, 5));
  // What is published is placed to 10 ms, the middle of two looks: 300 W for that.
  EXPECT_NEAR(estimate.energy.value().interval.value, 1000.0, 300 * 0.01);
}

TEST(HostEnergy, OfMeansCoversTheTruthAtTheStatedRate) {
  std::mt19937_64 rng(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::normal_distribution<double> normal;
  int covered = 0;
  constexpr int kTrials = 400;
  for (int i = 0; i < kTrials; ++i) {
    const double edge = 0.5 + uniform(rng);
    const double length = 0.3 + uniform(rng);
    const double noise = 30 * uniform(rng);
    const Signal joules = [=](double t) {
      return 90 * t + 220 * std::clamp(t - edge, 0.0, length);
    };
    // One draw of noise per tick, whoever asks.
    const double phase = 0.05 * uniform(rng);
    std::vector<double> draws;
    for (int k = 0; k < 100; ++k) draws.push_back(noise * normal(rng));
    const Signal mean = mean_of(joules, phase);
    const Signal shown = [&](double t) {
      return mean(t) + draws[static_cast<std::size_t>(std::floor((t - phase) / 0.05) + 1)];
    };
    const Recording recording = asked(kModule, shown, {.to = 3});
    const auto estimate =
        estimate_host_energy(recording, kModule, host_window(edge, edge + length));
    const double error = estimate.energy.value().interval.value - 310 * length;
    covered += std::abs(error) <= kCoverageFactor95 * without_gain(estimate) ? 1 : 0;
  }
  EXPECT_GE(covered, 0.95 * kTrials);
}

TEST(HostEnergy, OfMeansThatNobodyAskedForSaysSo) {
  const Asking asking{.silent_from = 1.5, .silent_to = 2.5};
  const Recording recording = asked(kModule, mean_of(step_joules), asking);
  const auto estimate = estimate_host_energy(recording, kModule, host_window(1, 5));
  EXPECT_FALSE(estimate.valid);
  EXPECT_THAT(estimate.reasons, Contains(Reason::gap_in_readings));
}

TEST(HostEnergy, OfMeansThatStoppedAnsweringIsNone) {
  Recording recording = asked(kModule, mean_of(step_joules));
  Trace& trace = recording.traces.front();
  std::erase_if(trace.samples, [](const Sample& sample) { return sample.seen > host_at(2.5); });
  trace.gaps.push_back({host_at(2.5), trace.end, "unavailable"});
  const auto estimate = estimate_host_energy(recording, kModule, host_window(1, 5));
  EXPECT_FALSE(estimate.energy) << "what was shown last may have been held";
  EXPECT_FALSE(estimate.valid);
  EXPECT_THAT(estimate.reasons, Contains(Reason::gap_in_readings));
  EXPECT_TRUE(estimate_host_energy(recording, kModule, host_window(1, 2.4)).energy);
}

TEST(HostEnergy, OfALongRunMayRestOnSums) {
  std::mt19937_64 rng(4);
  std::normal_distribution<double> normal;
  std::vector<double> powers;
  for (int k = 0; k < 4001; ++k) powers.push_back(200 + 20 * normal(rng));
  const Signal shown = [&](double t) { return powers[static_cast<std::size_t>(t / 0.05)]; };
  const Recording whole = asked(kModule, shown, {.to = 200});
  Recording condensed = whole;
  condense(condensed.traces[0], host_at(30), host_at(170));
  ASSERT_LT(condensed.traces[0].samples.size(), whole.traces[0].samples.size() / 2);
  const auto window = host_window(10, 190);
  const auto all = estimate_host_energy(whole, kModule, window).energy.value();
  const auto some = estimate_host_energy(condensed, kModule, window).energy.value();
  // A sum covers from tick to tick, a reading 50 ms before its tick, which is placed to 10 ms: a
  // fifth of each reading's noise may go to its neighbour, and back from the other.
  EXPECT_NEAR(some.interval.value, all.interval.value, 0.2 * all.without_gain());
  EXPECT_NEAR(some.standard_uncertainty, all.standard_uncertainty, 0.01 * all.standard_uncertainty);

  const Recording counts = asked(kPackage, counter([](double t) { return 100 * t; }), {.to = 200});
  Recording fewer = counts;
  condense(fewer.traces[0], host_at(30), host_at(170));
  EXPECT_EQ(estimate_host_energy(fewer, kPackage, window).energy.value().interval.value,
            estimate_host_energy(counts, kPackage, window).energy.value().interval.value);
}

TEST(HostEnergy, OfASourceThatWasNotRecordedIsUnknown) {
  const Recording recording = asked(kPackage, counter(step_joules));
  const EnergyEstimate estimate = estimate_host_energy(recording, kDram, host_window(1, 5));
  EXPECT_FALSE(estimate.energy);
  EXPECT_EQ(estimate.source, kDram);
  EXPECT_THAT(estimate.reasons, Contains(Reason::no_readings_in_window));
}

}  // namespace
}  // namespace truewatt::energy
