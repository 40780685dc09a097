#include <gtest/gtest.h>

#include "truewatt/energy/former/estimate_energy.hpp"
#include "truewatt/testing/test_traces.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

constexpr double kBegin = 20.0;
constexpr double kEnd = 920.0;
constexpr double kTurn = 1.7;  // rad/s, of a load that waves

double power(double t) {
  if (t <= kBegin || t > kEnd) return 100.0;
  return 300.0 + 60.0 * std::sin(kTurn * t) + 7.0 * std::sin(91.7 * t);
}

double reading(double t) { return std::round(2 * power(t)) / 2; }

double count(double t) {
  const double from = kBegin;
  const double to = std::clamp(t, kBegin, kEnd);
  const auto waves = [](double x) {
    return -60.0 / kTurn * std::cos(kTurn * x) - 7.0 / 91.7 * std::cos(91.7 * x);
  };
  return std::round((1000 + 100 * t + 200 * (to - from) + waves(to) - waves(from)) * 1e3) / 1e3;
}

/// A quarter of an hour, of which what lies far from the window's edges may be kept as sums.
Recording recorded(bool condensed) {
  Recording recording;
  recording.traces = {make_trace(kCounter, 0.1, 940.0, 0.1, count),
                      make_trace(kRing, 0.013, 940.0, 0.02, reading),
                      make_trace(kInstant, 0.05, 940.0, 0.1, reading, 0.002)};
  for (Trace& trace : recording.traces) {
    trace.polls = 940000;
    for (int repeat = 0; condensed && repeat < 2; ++repeat) {
      condense(trace, at(kBegin + 15 - 3 * repeat), at(kEnd - 15));
    }
  }
  return recording;
}

const Window kLongLoad{at(kBegin), at(kEnd), "load"};

void expect_same(const EnergyEstimate& sums, const EnergyEstimate& whole) {
  ASSERT_TRUE(sums.energy && whole.energy);
  EXPECT_EQ(sums.method, whole.method);
  EXPECT_EQ(sums.reasons, whole.reasons);
  EXPECT_EQ(sums.valid, whole.valid);
  EXPECT_EQ(sums.resolved, whole.resolved);
  EXPECT_NEAR(sums.energy->interval.value / whole.energy->interval.value, 1.0, 2e-6);
  EXPECT_NEAR(sums.net_energy->interval.value / whole.net_energy->interval.value, 1.0, 2e-6);
  ASSERT_EQ(sums.budget.size(), whole.budget.size());
  for (std::size_t i = 0; i < whole.budget.size(); ++i) {
    EXPECT_EQ(sums.budget[i].cause, whole.budget[i].cause);
    EXPECT_NEAR(sums.budget[i].u, whole.budget[i].u, 0.02 * whole.budget[i].u + 0.01)
        << uncertainty::code_of(whole.budget[i].cause);
  }
  ASSERT_EQ(sums.naive_j.size(), whole.naive_j.size());
  for (const auto& [source, joules] : whole.naive_j) {
    EXPECT_NEAR(sums.naive_j.at(source) / joules, 1.0, 1e-9) << source;
  }
}

TEST(CondensedReadings, TellWhatAllReadingsTell) {
  const Recording whole = recorded(false);
  const Recording sums = recorded(true);
  for (const Trace& trace : sums.traces) {
    ASSERT_LT(trace.samples.size(), find_trace(whole, trace.source)->samples.size() / 5);
  }
  const std::vector<Reader> readers(kReaders.begin(), kReaders.end());
  for (const auto& source : {std::optional<SourceId>(), {kCounter}, {kRing}, {kInstant}}) {
    SCOPED_TRACE(source ? to_string(*source) : "all");
    const EstimateOptions options{.source = source, .readers = readers};
    const EnergyEstimate of_sums = estimate_energy(sums, kLongLoad, {}, options);
    const EnergyEstimate of_whole = estimate_energy(whole, kLongLoad, {}, options);
    expect_same(of_sums, of_whole);
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const ReaderEnergy& expected = of_whole.readers[i];
      ASSERT_TRUE(of_sums.readers[i].energy && expected.energy);
      EXPECT_NEAR(*of_sums.readers[i].energy / *expected.energy, 1.0, 2e-4)
          << to_string(expected.reader);
      EXPECT_NEAR(of_sums.readers[i].over / expected.over, 1.0, 2e-4);
    }
  }
  EXPECT_NEAR(estimate_energy(sums, kLongLoad).energy->interval.value, count(kEnd) - count(kBegin),
              1.0);
}

/// A load every 100 ms under a ring that reads every 20 ms.
Recording locked(bool condensed) {
  const auto at_ring = [](double t) {
    if (t <= kBegin || t > kEnd) return 100.0;
    return std::fmod(t - kBegin, 0.1) < 0.03 ? 350.0 : 110.0;
  };
  const auto at_counter = [](double t) {
    return std::round((1000 + 100 * t + 72 * (std::clamp(t, kBegin, kEnd) - kBegin)) * 1e3) / 1e3;
  };
  Recording recording;
  recording.traces = {make_trace(kCounter, 0.1, 940.0, 0.1, at_counter),
                      make_trace(kRing, 0.013, 940.0, 0.02, at_ring)};
  for (Trace& trace : recording.traces) {
    if (condensed) condense(trace, at(kBegin + 15), at(kEnd - 15));
  }
  return recording;
}

TEST(CondensedReadings, ALoadInStepWithTheRingShowsInSums) {
  const EnergyEstimate of_whole = estimate_energy(locked(false), kLongLoad);
  const EnergyEstimate of_sums = estimate_energy(locked(true), kLongLoad);
  EXPECT_EQ(of_sums.reasons, of_whole.reasons);
  EXPECT_FALSE(of_sums.resolved);
  const auto hidden = [](const EnergyEstimate& estimate) {
    for (const uncertainty::Term& term : estimate.budget) {
      if (term.cause == uncertainty::Cause::phase_lock) return term.u;
    }
    return 0.0;
  };
  EXPECT_GT(hidden(of_whole), 0.01 * of_whole.energy->interval.value);
  EXPECT_NEAR(hidden(of_sums) / hidden(of_whole), 1.0, 0.02);
}

TEST(CondensedReadings, ThatCrossItsGateAreNothingForAReader) {
  Recording recording = recorded(true);
  for (Trace& trace : recording.traces) {
    for (CondensedStretch& stretch : trace.condensed) stretch.lowest_w = 100.0;
  }
  const auto estimate =
      estimate_energy(recording, kLongLoad, {}, {.readers = {Reader::k20power, Reader::sma}});
  EXPECT_FALSE(estimate.readers[0].energy);
  EXPECT_TRUE(estimate.readers[1].energy);
}

TEST(CondensedReadings, AStallWithinThemSpoilsTheData) {
  Recording recording = recorded(true);
  EXPECT_TRUE(estimate_energy(recording, kLongLoad).valid);
  for (Trace& trace : recording.traces) {
    trace.condensed[trace.condensed.size() / 2].longest_silence = std::chrono::seconds(2);
  }
  EXPECT_FALSE(estimate_energy(recording, kLongLoad).valid);
}

TEST(CondensedReadings, TellNothingOfWindowsThatBeganWithinThem) {
  const Recording sums = recorded(true);
  const Window within{at(400.0), at(500.0), ""};
  const EnergyEstimate estimate = estimate_energy(sums, within);
  EXPECT_FALSE(estimate.energy);
  EXPECT_FALSE(estimate.reasons.empty());
  EXPECT_TRUE(estimate.naive_j.empty());
}

}  // namespace
}  // namespace truewatt::energy
