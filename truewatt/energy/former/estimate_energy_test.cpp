#include "truewatt/energy/former/estimate_energy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/testing/test_traces.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::energy {
namespace {

using testing::Contains;
using testing::Not;

Recording recorded() {
  Recording recording;
  recording.traces = {make_trace(kInstant, 0.05, 7.0, 0.1, step_power(2, 5)),
                      make_trace(kCounter, 0.1, 7.0, 0.1, step_counter(2, 5))};
  recording.activity = {{at(2.0), at(5.0), "1"}};
  return recording;
}

const Window kWindow{at(2.0), at(5.0), "load"};

TEST(EstimateEnergy, PrefersTheCounterAndAddsUpItsBudget) {
  const EnergyEstimate estimate = estimate_energy(recorded(), kWindow);
  ASSERT_TRUE(estimate.energy);
  EXPECT_EQ(estimate.source, kCounter);
  EXPECT_EQ(estimate.method, Method::counter_difference);
  EXPECT_NEAR(estimate.energy->interval.value, 900, 0.01);
  EXPECT_NEAR(estimate.net_energy->interval.value, 600, 0.01);
  EXPECT_NEAR(estimate.baseline->value(), 100, 0.01);
  EXPECT_NEAR(estimate.mean_power->value(), 300, 0.01);
  double squares = 0.0;
  for (const uncertainty::Term& term : estimate.budget) {
    squares += std::pow(term.u, 2);
  }
  EXPECT_NEAR(std::sqrt(squares), estimate.energy->standard_uncertainty, 1e-9);
  EXPECT_TRUE(estimate.valid);
  EXPECT_TRUE(estimate.resolved);
  EXPECT_THAT(estimate.reasons, testing::ElementsAre(Reason::uncalibrated_gain));
}

TEST(EstimateEnergy, AnUncalibratedBoardIsOneOfTheMeteredOnes) {
  const EnergyEstimate estimate = estimate_energy(recorded(), kWindow);
  const catalogue::BoardPrior board = catalogue::board_prior();
  const double gain = 900 * board.gain.standard_uncertainty;
  const double offset = board.offset_w.standard_uncertainty * 3.0;
  EXPECT_NEAR(estimate.energy->standard_uncertainty, std::hypot(gain, offset), 0.05);
  // The offset is in the baseline too.
  EXPECT_NEAR(estimate.net_energy->standard_uncertainty, 600 * board.gain.standard_uncertainty,
              0.05);
  // Wider than the +-5 % (rectangular) and 5.8 W that the paper's text and figure say at first
  // sight.
  EXPECT_GT(board.gain.standard_uncertainty, 0.05 / std::sqrt(3.0));
  EXPECT_GT(board.offset_w.standard_uncertainty, 5.8);
}

TEST(EstimateEnergy, CalibrationUndoesGainAndOffset) {
  Recording recording = recorded();
  for (Sample& sample : recording.traces[1].samples) {
    const double t = seconds_between(at(0), sample.seen) - 0.00025;
    sample.value = 0.95 * sample.value + 2.0 * t;
  }
  Knowledge knowledge;
  Calibration calibration;
  calibration.source = kCounter;
  calibration.gain = {0.95, 0.948, 0.952, 0.95};
  calibration.offset_w = {2.0, 1.9, 2.1, 0.95};
  knowledge.calibrations = {calibration};
  const EnergyEstimate estimate = estimate_energy(recording, kWindow, knowledge);
  EXPECT_NEAR(estimate.energy->interval.value, 900, 0.02);
  EXPECT_NEAR(estimate.net_energy->interval.value, 600, 0.02);
  EXPECT_THAT(estimate.reasons, Not(Contains(Reason::uncalibrated_gain)));
}

// Steps of 1 W hide most of this source's readings: eight in 6 s differ. Where a profile says that
// there are more, the polls are none.
TEST(EstimateEnergy, PollsAreNoReadingsWhereTheUpdatePeriodIsKnown) {
  Recording recording;
  Trace trace{.source = kInstant, .begin = at(0), .end = at(6)};
  trace.polls = 120;
  trace.samples = {
      {at(0), at(0), std::nullopt, 25},          {at(0.339), at(0.34), std::nullopt, 36},
      {at(0.531), at(0.532), std::nullopt, 41},  {at(0.917), at(0.918), std::nullopt, 42},
      {at(1.493), at(1.494), std::nullopt, 228}, {at(1.686), at(1.687), std::nullopt, 229},
      {at(3.278), at(3.4145), std::nullopt, 42}, {at(4.3736), at(4.3755), std::nullopt, 24}};
  recording.traces = {trace};
  recording.activity = {{at(1.27), at(3.29), "1"}};
  Profile profile;
  profile.sources.push_back({.source = kInstant,
                             .update_period_s = Interval{0.192, 0.1919, 0.1921, 0.95},
                             .averaging_window_s = Interval{0.025, 0.024, 0.026, 0.95},
                             .duty = 0.13});
  const Window window{at(1.27), at(3.29), "load"};
  const EnergyEstimate estimate = estimate_energy(recording, window, {&profile, {}});
  EXPECT_THAT(estimate.reasons, Not(Contains(Reason::gap_in_readings)));
  EXPECT_FALSE(estimate.resolved) << "a sensor that looks 25 of 192 ms sees no edge of a step";
}

TEST(EstimateEnergy, ReadingsThatAreComputedGiveNoNumber) {
  Recording recording = recorded();
  std::erase_if(recording.traces, [](const Trace& trace) { return trace.source == kCounter; });
  ASSERT_FALSE(recording.traces.empty());
  Profile profile;
  for (const Trace& trace : recording.traces) {
    profile.sources.push_back({.source = trace.source, .response = ResponseClass::estimated});
  }
  ASSERT_TRUE(estimate_energy(recording, kWindow).energy);
  const EnergyEstimate estimate = estimate_energy(recording, kWindow, {&profile, {}});
  EXPECT_FALSE(estimate.energy);
  EXPECT_THAT(estimate.reasons, Contains(Reason::computed_not_measured));
}

TEST(EstimateEnergy, ComputedReadingsTakeNothingFromTheCounter) {
  Recording recording = recorded();
  for (Trace& trace : recording.traces) {
    if (trace.source == kCounter) continue;
    for (Sample& sample : trace.samples) sample.value *= 1.8;
  }
  Profile profile;
  for (const Trace& trace : recording.traces) {
    if (trace.source == kCounter) continue;
    profile.sources.push_back({.source = trace.source, .response = ResponseClass::estimated});
  }
  const EnergyEstimate estimate = estimate_energy(recording, kWindow, {&profile, {}});
  ASSERT_TRUE(estimate.energy);
  EXPECT_EQ(estimate.source, kCounter);
  EXPECT_NEAR(estimate.energy->interval.value, 900, 1.0);
  EXPECT_THAT(estimate.reasons, Not(Contains(Reason::sources_disagree)));
  EXPECT_THAT(estimate.reasons, Not(Contains(Reason::computed_not_measured)));
}

TEST(EstimateEnergy, WhatIsPublishedAsComputedGivesNoNumber) {
  Recording recording = recorded();
  std::erase_if(recording.traces, [](const Trace& trace) { return trace.source == kCounter; });
  Profile published;
  for (const Trace& trace : recording.traces) {
    published.sources.push_back({.source = trace.source, .response = ResponseClass::estimated});
  }
  const EnergyEstimate estimate = estimate_energy(recording, kWindow, {.published = &published});
  EXPECT_FALSE(estimate.energy);
  EXPECT_THAT(estimate.reasons, Contains(Reason::computed_not_measured));
}

TEST(EstimateEnergy, ResetMakesItInvalidAndNeverAWrongCount) {
  Recording recording = recorded();
  auto& samples = recording.traces[1].samples;
  for (std::size_t i = 35; i < samples.size(); ++i) samples[i].value -= 1300;
  const EnergyEstimate estimate = estimate_energy(recording, kWindow);
  EXPECT_FALSE(estimate.valid);
  EXPECT_THAT(estimate.reasons, Contains(Reason::counter_reset));
  EXPECT_NE(estimate.source, kCounter);
  EXPECT_EQ(estimate.naive_j.count("energy.counter"), 0U);
}

TEST(EstimateEnergy, PartTimePowerAloneIsNotResolved) {
  Recording recording = recorded();
  recording.traces.pop_back();
  // That it was one load without breaks is not lost on it.
  EXPECT_TRUE(estimate_energy(recording, kWindow, {}, {.resolve = 0.2}).resolved);
  recording.activity.clear();
  const EnergyEstimate estimate = estimate_energy(recording, kWindow, {}, {.resolve = 0.2});
  ASSERT_TRUE(estimate.energy);
  EXPECT_EQ(estimate.method, Method::padded_sum);
  EXPECT_FALSE(estimate.resolved);
  EXPECT_THAT(estimate.reasons, Contains(Reason::phase_lock_not_excluded));
  EXPECT_LE(estimate.energy->interval.lower, 900);
  EXPECT_GE(estimate.energy->interval.upper, 900);
  EXPECT_FALSE(estimate.observed_fraction.has_value());
}

TEST(EstimateEnergy, ASteadyLogCountsByItsRows) {
  // 200 rows, ten a second, of a power that never moves but at the edges: three values.
  Recording recording;
  Trace trace{.source = kInstant, .begin = at(0), .end = at(19.9), .polls = 200};
  trace.samples = {{at(0), at(0), std::nullopt, 50.0},
                   {at(4.0), at(4.1), std::nullopt, 250.0},
                   {at(14.0), at(14.1), std::nullopt, 50.0}};
  recording.traces = {trace};
  const EnergyEstimate estimate = estimate_energy(recording, {at(4.0), at(14.0), "load"});
  ASSERT_TRUE(estimate.energy);
  EXPECT_NEAR(estimate.energy->interval.value, 2500, 1.0);
  EXPECT_TRUE(estimate.valid);
}

TEST(EstimateEnergy, WithoutSourcesThereIsNoNumber) {
  const EnergyEstimate estimate = estimate_energy({}, kWindow);
  EXPECT_FALSE(estimate.energy.has_value());
  EXPECT_FALSE(estimate.valid);
  EXPECT_THAT(estimate.reasons, testing::ElementsAre(Reason::no_usable_source));
}

TEST(EstimateEnergy, AResetOutsideTheWindowOnlyCostsTheIdleBeyondIt) {
  for (const double reset : {1.55, 5.45}) {
    Recording recording = recorded();
    for (Sample& sample : recording.traces[1].samples) {
      if (sample.before > at(reset)) sample.value -= 1000;
    }
    const EnergyEstimate estimate = estimate_energy(recording, kWindow);
    ASSERT_TRUE(estimate.energy) << reset;
    EXPECT_EQ(estimate.source, kCounter) << reset;
    EXPECT_NEAR(estimate.energy->interval.value, 900, 0.1) << reset;
    EXPECT_TRUE(estimate.valid) << reset;
  }
}

TEST(EstimateEnergy, LostDeviceGivesNoNumber) {
  Recording recording = recorded();
  recording.events = {{at(3.0), "gpu_lost", "fell off the bus"}};
  for (Trace& trace : recording.traces) {
    trace.end = at(3.0);
    std::erase_if(trace.samples, [](const Sample& sample) { return sample.seen > at(3.0); });
  }
  const EnergyEstimate estimate = estimate_energy(recording, kWindow);
  EXPECT_FALSE(estimate.energy.has_value());
  EXPECT_THAT(estimate.reasons, Contains(Reason::gpu_lost));
}

TEST(EstimateEnergy, ShortWindowsSayHowLongTheyShouldBe) {
  EstimateOptions strict;
  strict.resolve = 1e-6;
  const EnergyEstimate estimate = estimate_energy(recorded(), kWindow, {}, strict);
  EXPECT_FALSE(estimate.resolved);
  ASSERT_TRUE(estimate.needs.has_value());
  EXPECT_GT(estimate.needs->count(), 3.0);
}

TEST(EstimateEnergy, ACounterNobodyKnowsMayBeInStepWithAnUnknownLoad) {
  Recording recording = recorded();
  recording.activity.clear();
  const EnergyEstimate estimate = estimate_energy(recording, kWindow);
  ASSERT_TRUE(estimate.energy);
  EXPECT_FALSE(estimate.observed_fraction);
  EXPECT_FALSE(estimate.resolved);
  EXPECT_THAT(estimate.reasons, Contains(Reason::phase_lock_not_excluded));
  // A ring that updates at another rate and tells the same excludes it.
  recording.traces.push_back(
      make_trace({SourceKind::power_samples, Scope::gpu}, 0.05, 7.0, 0.02, step_power(2, 5)));
  EXPECT_TRUE(estimate_energy(recording, kWindow).resolved);
  // One that tells another energy does not.
  for (Sample& sample : recording.traces[2].samples) {
    if (sample.value > 200) sample.value = 380;
  }
  EXPECT_FALSE(estimate_energy(recording, kWindow).resolved);
}

TEST(EstimateEnergy, SourcesThatDisagreeGiveNoNumber) {
  Recording recording = recorded();
  // As on a superchip: the counter counts 80 W of CPU besides.
  for (Sample& sample : recording.traces[1].samples) {
    sample.value += 80 * seconds_between(at(0), sample.seen);
  }
  const EnergyEstimate estimate = estimate_energy(recording, kWindow);
  EXPECT_THAT(estimate.reasons, Contains(Reason::sources_disagree));
  EXPECT_FALSE(estimate.resolved);
  EXPECT_FALSE(estimate.energy);
  EXPECT_TRUE(estimate.budget.empty());
  EXPECT_TRUE(estimate.valid);  // the data are whole; what they mean is not known
}

TEST(EstimateEnergy, SourcesThatDisagreeOnTheOnlySideWithIdleGiveNoNumber) {
  // Too little is read after the window for an idle of the counter's own: the other source's, which
  // does not see the 80 W of CPU, must not stand in for it.
  Recording recording = recorded();
  for (Sample& sample : recording.traces[1].samples) {
    sample.value += 80 * seconds_between(at(0), sample.seen);
  }
  for (Trace& trace : recording.traces) {
    std::erase_if(trace.samples, [](const Sample& sample) { return sample.seen > at(5.25); });
    trace.end = at(5.25);
  }
  const EnergyEstimate estimate = estimate_energy(recording, kWindow);
  EXPECT_THAT(estimate.reasons, Contains(Reason::sources_disagree));
  EXPECT_FALSE(estimate.energy);
}

TEST(EstimateEnergy, ASourceThatStillShowsOtherWorkDoesNotDisagree) {
  // Work at 2 to 5, 5.5 to 6.5 and 7 to 8 s; the trailing second shows at 5.5 s what ended at 5 s.
  const auto joules = [](double t) {
    const auto busy = [t](double begin, double end) { return std::clamp(t, begin, end) - begin; };
    return 1000 + 100 * t + 200 * (busy(2, 5) + busy(5.5, 6.5) + busy(7, 8));
  };
  Recording recording{.device = {.name = "board"}};
  recording.traces = {make_trace(kCounter, 0.05, 10.0, 0.1, joules),
                      make_trace({SourceKind::power_average, Scope::gpu}, 0.05, 10.0, 0.1,
                                 [&](double t) { return joules(t) - joules(t - 1); })};
  recording.windows = {{at(2), at(5), ""}, {at(5.5), at(6.5), ""}, {at(7), at(8), ""}};
  for (const Window& window : recording.windows) {
    const EnergyEstimate estimate = estimate_energy(recording, window);
    EXPECT_THAT(estimate.reasons, Not(Contains(Reason::sources_disagree)));
    ASSERT_TRUE(estimate.energy);
    const double length = seconds_between(window.begin, window.end);
    EXPECT_NEAR(estimate.energy->interval.value, 300 * length, 15);
  }
  // One that shows 80 W more at idle all the time does.
  for (Sample& sample : recording.traces[1].samples) sample.value += 80;
  for (const Window& window : recording.windows) {
    EXPECT_FALSE(estimate_energy(recording, window).energy);
  }
}

// Half a second after the window, as steady as idle, and it is known to be work.
TEST(EstimateEnergy, IdleIsNotLookedForInOtherKnownWork) {
  const auto joules = [](double t) {
    const auto busy = [t](double begin, double end) { return std::clamp(t, begin, end) - begin; };
    return 1000 + 100 * t + 100 * busy(2, 5) + 60 * busy(5.5, 9);
  };
  Recording recording{.device = {.name = "board"}};
  recording.traces = {make_trace(kCounter, 0.05, 11.0, 0.1, joules)};
  const Window window{at(2), at(5), ""};
  recording.windows = {{at(2), at(9), "both"}};
  recording.activity = {{at(2), at(5), "one"}, {at(5.5), at(9), "other"}};
  const EnergyEstimate estimate = estimate_energy(recording, window);
  ASSERT_TRUE(estimate.energy);
  EXPECT_NEAR(estimate.energy->interval.value, 600, 3);
  EXPECT_NEAR(estimate.baseline->value(), 100, 1);
}

TEST(EstimateEnergy, AWindowWithinWorkIsComparedWithTheWorkAroundIt) {
  Recording recording = recorded();
  recording.traces.push_back(make_trace({SourceKind::power_average, Scope::gpu}, 0.05, 7.0, 0.1,
                                        [](double t) { return step_power(2, 5)(t); }));
  const Window within{at(3.0), at(4.0), ""};
  recording.windows = {{at(1.95), at(5.05), "program"}, within};
  const EnergyEstimate estimate = estimate_energy(recording, within);
  EXPECT_THAT(estimate.reasons, Not(Contains(Reason::sources_disagree)));
  ASSERT_TRUE(estimate.energy);
  EXPECT_NEAR(estimate.energy->interval.value, 300, 5);
}

TEST(EstimateEnergy, OtherWorkThatWasNotReadExcusesNoDisagreement) {
  Recording recording = recorded();
  for (Sample& sample : recording.traces[1].samples) {
    sample.value += 80 * seconds_between(at(0), sample.seen);
  }
  // Said to have run before anything was read.
  recording.windows = {{at(-3.0), at(1.5), ""}, kWindow, {at(5.5), at(9.0), ""}};
  EXPECT_THAT(estimate_energy(recording, kWindow).reasons, Contains(Reason::sources_disagree));
  EXPECT_FALSE(estimate_energy(recording, kWindow).energy);
}

/// The counter left alone from 2.4 to 4.4 s: one value there that was published at any time within.
Recording rested() {
  Recording recording = recorded();
  Trace& counter = recording.traces[1];
  std::erase_if(counter.samples, [](const Sample& sample) {
    return sample.seen > at(2.45) && sample.before < at(4.35);
  });
  const auto after = std::find_if(counter.samples.begin(), counter.samples.end(),
                                  [](const Sample& sample) { return sample.seen > at(4.35); });
  const HostTime asleep = std::prev(after)->seen;
  counter.samples.insert(after, Sample{asleep, at(4.35), std::nullopt, step_counter(2, 5)(4.3)});
  counter.gaps = {{asleep, at(4.349), std::string(kNotAsked)}};
  return recording;
}

TEST(EstimateEnergy, ARestInsideTheWindowCostsNothing) {
  const EnergyEstimate whole = estimate_energy(recorded(), kWindow);
  const EnergyEstimate estimate = estimate_energy(rested(), kWindow);
  EXPECT_EQ(estimate.source, kCounter);
  EXPECT_NEAR(estimate.energy->interval.value, whole.energy->interval.value, 1e-6);
  EXPECT_TRUE(estimate.valid);
  EXPECT_EQ(estimate.naive_j.at("energy.counter"), whole.naive_j.at("energy.counter"));
  const auto period = ticks::update_period(ticks::publications(rested().traces[1], at(0)));
  ASSERT_TRUE(period);
  EXPECT_NEAR(period->value, 0.1, 1e-6);
}

TEST(EstimateEnergy, AnEdgeInsideARestIsLeftToAnotherSource) {
  const EnergyEstimate estimate = estimate_energy(rested(), {at(2.0), at(2.8), "part"});
  EXPECT_NE(estimate.source, std::optional(kCounter));
  EXPECT_FALSE(estimate.naive_j.contains("energy.counter"));
}

TEST(EstimateEnergy, IsAPureFunction) {
  const EnergyEstimate a = estimate_energy(recorded(), kWindow);
  const EnergyEstimate b = estimate_energy(recorded(), kWindow);
  EXPECT_EQ(a.energy->interval.value, b.energy->interval.value);
  EXPECT_EQ(a.energy->standard_uncertainty, b.energy->standard_uncertainty);
}

}  // namespace
}  // namespace truewatt::energy
