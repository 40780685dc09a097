// The energy counter of a real H200, from recorded trains of bursts and a live characterization.

#include <gtest/gtest.h>

#include <filesystem>

#include "truewatt/devices/recorded_input.hpp"
#include "truewatt/identification/counter/counter_fit.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::characterize {
namespace {

const std::filesystem::path kCounterData = TRUEWATT_TEST_DATA;

identification::CounterFit counter_of(const std::string& name) {
  const auto input = devices::read_recorded_input(kCounterData / "h200" / name, {}).value();
  const Recording& recording = input.recording;
  for (const Trace& trace : recording.traces) {
    if (!counts_energy(trace.source)) continue;
    std::vector<identification::Work> work;
    for (const Window& window : recording.windows) {
      work.push_back(
          {seconds_between(trace.begin, window.begin), seconds_between(trace.begin, window.end)});
    }
    const auto ticks = ticks::publications(trace, trace.begin);
    return identification::fit_counter(ticks, work, ticks::update_period(ticks)->value).value();
  }
  throw std::runtime_error("no counter in " + name);
}

TEST(RecordedCounter, AnH200DoesNotLookFor11MillisecondsAfterEveryTick) {
  const identification::CounterFit fit = counter_of("ref_10.csv");
  EXPECT_EQ(fit.counting, Counting::gap);
  // Found by other means: from 5 (1) to 16.5 (1) ms after a tick, behind a lag of 13 ms.
  EXPECT_NEAR(fit.gap_begin, 5.5e-3, 2e-3);
  EXPECT_NEAR(fit.gap_length.value, 11.5e-3, 2e-3);
  EXPECT_LE(fit.fit.time_constant.lower, 13e-3);
  EXPECT_GE(fit.fit.time_constant.upper, 13e-3);
  EXPECT_DOUBLE_EQ(fit.duty(0.1), 1.0) << "what it misses, its lag remembers";
}

}  // namespace
}  // namespace truewatt::characterize
