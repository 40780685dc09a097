#include "truewatt/trace/formats/meters/pmd_dump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
namespace truewatt::trace {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kFrameBytes = 18;
constexpr double kVolt = 0.007568;
constexpr double kAmpere = 0.0488;
constexpr std::uint32_t kStep = 601;
constexpr DriverTime kStart{std::chrono::seconds(1'689'325'827)};

void put(std::string& bytes, std::uint32_t word) {
  bytes += static_cast<char>(word & 0xFF);
  bytes += static_cast<char>((word >> 8) & 0xFF);
}

std::uint32_t left_aligned(int value) { return static_cast<std::uint32_t>(value * 16) & 0xFFFF; }

/// A frame with 1600 voltage steps on every rail and the given current steps.
std::string frame(std::uint32_t tick, std::array<int, kRails> amperes = {10, 20, 30, 40}) {
  std::string bytes;
  put(bytes, tick & 0xFFFF);
  for (const int current : amperes) {
    put(bytes, left_aligned(1600));
    put(bytes, left_aligned(current));
  }
  return bytes;
}

/// `count` frames; the first tick is `tick`, the current of PCIE1 counts frames.
std::string stream(int count, std::uint32_t tick = 60'000) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes += frame(tick + kStep * static_cast<std::uint32_t>(i), {i % 1000, 20, 30, 40});
  }
  return bytes;
}

PmdDumpOptions options() {
  PmdDumpOptions options;
  options.start = kStart;
  return options;
}

/// Time of the `index`-th frame of `stream`.
HostTime frame_time(int index) {
  const double ms = kStep * static_cast<double>(index) / kPmdTicksPerMs;
  return HostTime(kStart.time_since_epoch()) - kPmdStartLead + to_nanoseconds(Seconds(1e-3 * ms));
}

/// The frame's number, from what `stream` put there.
int number_of(const RailPowers& watts) {
  return static_cast<int>(std::lround(watts[0] / (1600 * kVolt * kAmpere)));
}

TEST(PmdDump, PowerIsTheSumOfFourRails) {
  const auto meter = parse_pmd_dump(stream(10), options());
  ASSERT_TRUE(meter);
  ASSERT_EQ(meter->samples.size(), 10U);
  ASSERT_EQ(meter->rails.size(), 10U);
  const double watt_per_step = 1600 * kVolt * kAmpere;
  EXPECT_NEAR(meter->rails[3][0], 3 * watt_per_step, 1e-9);
  EXPECT_NEAR(meter->rails[3][3], 40 * watt_per_step, 1e-9);
  EXPECT_NEAR(meter->samples[3].power_w, (3 + 20 + 30 + 40) * watt_per_step, 1e-9);
  EXPECT_EQ(meter->ticks_per_ms, kPmdTicksPerMs);
  EXPECT_EQ(meter->axis, MeterAxis::utc);
  EXPECT_EQ(meter->skipped_bytes, 0U);
  EXPECT_TRUE(meter->warnings.empty());
}

TEST(PmdDump, RailsCanBeChosen) {
  PmdDumpOptions chosen = options();
  chosen.summed = {true, true, false, false};
  const auto meter = parse_pmd_dump(stream(10), chosen);
  ASSERT_TRUE(meter);
  EXPECT_NEAR(meter->samples[0].power_w, 20 * 1600 * kVolt * kAmpere, 1e-9);
  chosen.summed = {};
  EXPECT_EQ(parse_pmd_dump(stream(10), chosen).error().code, Errc::invalid_argument);
}

TEST(PmdDump, TimeStartsBeforeTheStampAndFollowsTheTicksAcrossTheirWrap) {
  const auto meter = parse_pmd_dump(stream(500), options());  // 4.6 turns of the tick
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->samples.front().time,
            HostTime(kStart.time_since_epoch()) - std::chrono::milliseconds(50));
  EXPECT_EQ(meter->samples.back().time, frame_time(499));
}

TEST(PmdDump, NegativeCurrentStaysNegative) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 5; ++i) bytes += frame(kStep * i, {-3, 0, 0, 0});
  const auto meter = parse_pmd_dump(bytes, options());
  ASSERT_TRUE(meter);
  EXPECT_NEAR(meter->samples[0].power_w, -3 * 1600 * kVolt * kAmpere, 1e-9);
}

TEST(PmdDump, LostBytesCostTheFramesAtTheBreakAndNoTime) {
  for (std::size_t lost = 1; lost < 40; ++lost) {
    std::string bytes = stream(300);
    bytes.erase(100 * 18 + 7, lost);
    const auto meter = parse_pmd_dump(bytes, options());
    ASSERT_TRUE(meter) << lost;
    // The frames that the lost bytes belong to, one before them as the check of a frame is the
    // frame behind it, and one behind them.
    const std::size_t broken = (7 + lost + 17) / 18;
    EXPECT_GE(meter->samples.size(), 300 - broken - 2) << lost;
    EXPECT_LE(meter->samples.size(), 300 - broken + (lost == 18 || lost == 36)) << lost;
    for (std::size_t i = 0; i < meter->samples.size(); ++i) {
      const int number = number_of(meter->rails[i]);
      EXPECT_EQ(meter->samples[i].time, frame_time(number)) << lost << " " << i;
      EXPECT_NEAR(meter->rails[i][3], 40 * 1600 * kVolt * kAmpere, 1e-9) << lost << " " << i;
    }
  }
}

TEST(PmdDump, GarbageLongerThanATurnOfTheTickKeepsTime) {
  std::string bytes = stream(1000);
  // 300 frames are 62 ms, nearly three turns.
  for (std::size_t i = 200 * kFrameBytes; i < 500 * kFrameBytes; ++i) bytes[i] = '\x5A';
  const auto meter = parse_pmd_dump(bytes, options());
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->samples.back().time, frame_time(999));
  EXPECT_GE(meter->skipped_bytes, 300 * kFrameBytes);
  EXPECT_EQ(meter->warnings.size(), 1U);
}

TEST(PmdDump, BreakBackToTheSameTickIsAWholeTurn) {
  const std::uint32_t last = 60'000 + 9 * kStep;
  // The first frame behind the break is given up; the second has the tick of the last one before.
  const auto meter = parse_pmd_dump(stream(10) + "junk" + stream(10, last - kStep), options());
  ASSERT_TRUE(meter);
  ASSERT_GE(meter->samples.size(), 15U);
  for (std::size_t i = 1; i < meter->samples.size(); ++i) {
    EXPECT_GT(meter->samples[i].time, meter->samples[i - 1].time);
  }
}

TEST(PmdDump, JunkBeforeTheStreamIsSkipped) {
  const auto meter = parse_pmd_dump("ElmorLabs PMD-USB" + stream(20), options());
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->samples.size(), 19U);
  EXPECT_EQ(meter->skipped_bytes, 17U + 18U);
}

TEST(PmdDump, CutLastFrameIsDropped) {
  const std::string bytes = stream(20);
  const auto meter = parse_pmd_dump(std::string_view(bytes).substr(0, bytes.size() - 5), options());
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->samples.size(), 19U);
  EXPECT_EQ(meter->skipped_bytes, 13U);
}

TEST(PmdDump, OtherBytesAreNoStream) {
  for (const std::string& bytes : {std::string(), std::string(18, '\0'), std::string(1000, '\0'),
                                   std::string(1000, 'x'), stream(3)}) {
    const auto meter = parse_pmd_dump(bytes, options());
    ASSERT_FALSE(meter) << bytes.size();
    EXPECT_EQ(meter.error().code, Errc::parse);
    EXPECT_FALSE(looks_like_pmd_dump(bytes));
  }
  EXPECT_TRUE(looks_like_pmd_dump(stream(4)));
}

TEST(PmdDump, ImpossibleVoltageIsNoFrame) {
  std::string bytes = stream(20);
  bytes[10 * 18 + 3] = '\x7F';  // 15.4 V
  const auto meter = parse_pmd_dump(bytes, options());
  ASSERT_TRUE(meter);
  for (const RailPowers& watts : meter->rails) EXPECT_NE(number_of(watts), 10);
  EXPECT_GE(meter->samples.size(), 17U);
}

TEST(PmdDump, TickRateMustBeOne) {
  PmdDumpOptions wrong = options();
  wrong.ticks_per_ms = 0.0;
  EXPECT_EQ(parse_pmd_dump(stream(10), wrong).error().code, Errc::invalid_argument);
}

TEST(PmdDump, StartStampIsMicroseconds) {
  EXPECT_EQ(parse_pmd_start("1689325827417571\n").value(),
            DriverTime(microseconds(1'689'325'827'417'571)));
  EXPECT_EQ(parse_pmd_start("1689325827").error().code, Errc::parse);
  EXPECT_EQ(parse_pmd_start("").error().code, Errc::parse);
}

}  // namespace
}  // namespace truewatt::trace
