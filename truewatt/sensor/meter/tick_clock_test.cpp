#include "truewatt/sensor/meter/tick_clock.hpp"

#include <gtest/gtest.h>

#include <random>

#include "truewatt/trace/formats/meters/pmd_dump.hpp"
#include "truewatt/trace/formats/meters/pmd_frames.hpp"

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kStart{100s};

/// Stamps every 5 ms for `seconds` at `rate` ticks/ms, late by up to 2 ms.
std::vector<TickStamp> stamps(double seconds, double rate, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> late(0.0, 2.0);
  std::vector<TickStamp> stamps;
  for (double ms = 0; ms < 1e3 * seconds; ms += 5.0) {
    stamps.push_back({static_cast<std::int64_t>(ms * rate),
                      kStart + to_nanoseconds(Seconds(1e-3 * (ms + late(random))))});
  }
  return stamps;
}

TEST(TickClock, CalibratesTheRateAgainstTheHost) {
  const auto line = fit_ticks(stamps(20, 2936.0)).value();
  // 4000 stamps of sd 2/sqrt(12) ms over 20 s: 0.58/(5774 ms sqrt(4000)) of the rate.
  EXPECT_NEAR(line.ticks_per_ms, 2936.0, 5 * 1.6e-6 * 2936.0);
  // 1 ms late on the mean.
  const double at_10s = seconds_between(kStart, line.at(29'360'000));
  EXPECT_NEAR(at_10s, 10.001, 1e-4);
}

TEST(TickClock, AShortStreamHasTheNominalRate) {
  EXPECT_EQ(fit_ticks(stamps(1, 2950.0))->ticks_per_ms, trace::kPmdTicksPerMs);
  EXPECT_EQ(fit_ticks({}).error().code, Errc::insufficient_data);
}

TEST(TickClock, TicksThatAreNoClockAreAnError) {
  EXPECT_EQ(fit_ticks(stamps(5, 2700.0)).error().code, Errc::device);
}

TEST(TickClock, FindsTurnsThatWereLostWithTheirBytes) {
  auto lost = stamps(20, 2936.0);
  for (std::size_t i = 1000; i < lost.size(); ++i) lost[i].ticks -= 3 * trace::kPmdWrap;
  const auto turns = lost_turns(lost);
  EXPECT_EQ(turns[999], 0);
  EXPECT_EQ(turns[1000], 3);
  EXPECT_EQ(turns.back(), 3);
}

TEST(TickClock, AHostThatWasBusyLostNothing) {
  auto late = stamps(20, 2936.0);
  // For 300 ms everything arrives at once, at the end.
  for (std::size_t i = 1000; i < 1060; ++i) late[i].seen = late[1060].seen;
  for (const std::int64_t turns : lost_turns(late)) EXPECT_EQ(turns, 0);
}

}  // namespace
}  // namespace truewatt::sensor
