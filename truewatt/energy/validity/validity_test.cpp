#include "truewatt/energy/validity/validity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Fixture {
  Recording recording;
  Window window{at(2.0), at(5.0), "load"};
  Fixture() { recording.traces = {make_trace(kCounter, 0.1, 7.0, 0.1, step_counter(2, 5))}; }
  std::vector<Reason> reasons() const {
    return why_not_whole(recording, recording.traces[0], window, at(1.0), at(6.0), 0.1);
  }
};

TEST(Validity, WholeDataHaveNoReasons) { EXPECT_THAT(Fixture().reasons(), IsEmpty()); }

TEST(Validity, FindsACounterReset) {
  Fixture f;
  for (std::size_t i = 30; i < f.recording.traces[0].samples.size(); ++i) {
    f.recording.traces[0].samples[i].value -= 1200;
  }
  EXPECT_THAT(f.reasons(), ElementsAre(Reason::counter_reset));
}

TEST(Validity, FindsSilenceInsideAndNotFarAway) {
  Fixture f;
  auto& samples = f.recording.traces[0].samples;
  samples.erase(samples.begin() + 25, samples.begin() + 30);
  samples[25].before = samples[24].seen;
  EXPECT_THAT(f.reasons(), ElementsAre(Reason::gap_in_readings));
  Fixture g;
  g.recording.traces[0].gaps = {{at(6.2), at(6.5), "timed_out"}};
  EXPECT_THAT(g.reasons(), IsEmpty());
  g.recording.traces[0].gaps = {{at(4.9), at(5.4), "timed_out"}};
  EXPECT_THAT(g.reasons(), ElementsAre(Reason::gap_in_readings));
}

TEST(Validity, ARestOfOurOwnIsNoGap) {
  Fixture f;
  auto& trace = f.recording.traces[0];
  trace.samples.erase(trace.samples.begin() + 25, trace.samples.begin() + 30);
  trace.samples[25].before = trace.samples[24].seen;
  trace.gaps = {{trace.samples[24].seen, trace.samples[25].seen, std::string(kNotAsked)}};
  EXPECT_THAT(f.reasons(), IsEmpty());
}

TEST(Validity, FindsATraceThatEndsEarly) {
  Fixture f;
  f.recording.traces[0].end = at(4.0);
  EXPECT_THAT(f.reasons(), ElementsAre(Reason::gap_in_readings));
}

TEST(Validity, AReadingOfNothingInTheMidstIsAGap) {
  Fixture f;
  f.recording.traces = {make_trace(kInstant, 0.1, 7.0, 0.1, step_power(2, 5))};
  EXPECT_THAT(f.reasons(), IsEmpty());
  f.recording.traces[0].samples[30].value = 0.0;
  EXPECT_THAT(f.reasons(), ElementsAre(Reason::gap_in_readings));
}

TEST(Validity, ADriverThatHangsLeavesAGapAndASlowOneDoesNot) {
  Fixture f;
  f.recording.events = {{at(3), EventKind::driver_slow, ""},
                        {at(4), EventKind::answers_refused, ""}};
  EXPECT_THAT(f.reasons(), IsEmpty());
  f.recording.events.push_back({at(4), EventKind::driver_hangs, ""});
  EXPECT_THAT(f.reasons(), ElementsAre(Reason::gap_in_readings));
}

TEST(Validity, FindsALostDeviceAndASteppedClock) {
  Fixture f;
  f.recording.events = {{at(3), EventKind::gpu_lost, ""},
                        {at(4), EventKind::clock_step, ""},
                        {at(4), Coded<EventKind>::read("hello", parse_event_kind), ""}};
  EXPECT_THAT(f.reasons(), ElementsAre(Reason::gpu_lost, Reason::clock_step));
}

TEST(Validity, FindsALimitThatChangedInsideTheWindowOnly) {
  Fixture f;
  const auto health = [](double t, std::uint64_t bits) {
    return HealthSample{.time = at(t), .clocks_event_reasons = bits};
  };
  f.recording.health = {health(1.5, 0x1), health(2.5, 0x4), health(3.5, 0x4), health(5.5, 0x1)};
  EXPECT_THAT(f.reasons(), IsEmpty());
  f.recording.health[2].clocks_event_reasons = 0x0;
  EXPECT_THAT(f.reasons(), ElementsAre(Reason::clocks_limited));
}

}  // namespace
}  // namespace truewatt::energy
