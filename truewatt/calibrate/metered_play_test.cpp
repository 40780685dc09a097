#include "truewatt/calibrate/metered_play.hpp"

#include <gtest/gtest.h>

namespace truewatt::calibrate {
namespace {

HostTime time_of(double seconds) { return HostTime() + to_nanoseconds(Seconds(seconds)); }

/// Fails after its first fetch where it is to.
class FakeMeter : public sensor::Meter {
 public:
  explicit FakeMeter(bool fails) : fails_(fails) {}
  std::string_view name() const override { return "fake"; }
  Result<void> start() override { return {}; }
  Result<void> fetch() override {
    if (fails_) return Unexpected(Errc::device, "the meter went away");
    return {};
  }
  Result<trace::MeterTrace> stop() override {
    return trace::MeterTrace{.meter = "fake", .axis = trace::MeterAxis::host};
  }

 private:
  bool fails_;
};

Result<trace::MeterTrace> metered_by(FakeMeter meter, const MeteredPlay& play) {
  auto set = devices::open_devices({.selectors = {"sim:a100"}}, {});
  EXPECT_TRUE(set);
  return metered(*set, &meter, 1, {}, play);
}

TEST(MeteredPlay, AMeterThatFailsEndsThePlayAndSaysWhy) {
  bool stopped = false;
  const auto readings =
      metered_by(FakeMeter(true), [&](const std::stop_token& stop) -> Result<void> {
        for (long i = 0; i < 1000000000 && !stop.stop_requested();) ++i;
        stopped = stop.stop_requested();
        return Unexpected(Errc::timed_out, "the play was stopped");
      });
  EXPECT_TRUE(stopped);
  ASSERT_FALSE(readings);
  EXPECT_EQ(readings.error().message, "the meter went away");
}

TEST(MeteredPlay, APlayThatFailsSaysWhy) {
  const auto readings =
      metered_by(FakeMeter(false), [](const std::stop_token& /*stop*/) -> Result<void> {
        return Unexpected(Errc::device, "the GPU went away");
      });
  ASSERT_FALSE(readings);
  EXPECT_EQ(readings.error().message, "the GPU went away");
}

TEST(MeteredPlay, GivesTheReadings) {
  const auto readings = metered_by(
      FakeMeter(false), [](const std::stop_token& /*stop*/) -> Result<void> { return {}; });
  ASSERT_TRUE(readings);
  EXPECT_EQ(readings->meter, "fake");
}

/// 50 W, and 250 W from 1 s to 3 s but for idle from 1.5 to 1.7 s; none from `hole` to 0.1 s later.
trace::MeterTrace readings_of(double hole) {
  trace::MeterTrace meter{.meter = "fake", .axis = trace::MeterAxis::host};
  for (int i = 0; i <= 4000; ++i) {
    const double t = 0.001 * i;
    if (t > hole && t < hole + 0.1) continue;
    const bool on = t >= 1.0 && t < 3.0 && (t < 1.5 || t >= 1.7);
    meter.samples.push_back({time_of(t), on ? 250.0 : 50.0});
  }
  return meter;
}

TEST(MeteredExecution, IsWhatTheWindowHoldsLessIdleInThePauses) {
  const Window window{time_of(1.0), time_of(3.0)};
  const auto one = metered_execution(readings_of(10.0), window, 4, Seconds(0.2));
  ASSERT_TRUE(one);
  EXPECT_NEAR(one->value(), 1.8 * 250.0 / 4, 0.2);
  const auto all = metered_execution(readings_of(10.0), window, 1, Seconds(0));
  ASSERT_TRUE(all);
  EXPECT_NEAR(all->value(), 1.8 * 250.0 + 0.2 * 50.0, 0.5);
}

TEST(MeteredExecution, IsNothingWhereReadingsAreMissing) {
  const Window window{time_of(1.0), time_of(3.0)};
  EXPECT_FALSE(metered_execution(readings_of(2.0), window, 1, Seconds(0)));
  EXPECT_FALSE(metered_execution(readings_of(2.95), window, 1, Seconds(0))) << "over its end";
  EXPECT_FALSE(metered_execution(readings_of(0.95), window, 1, Seconds(0))) << "over its begin";
  EXPECT_TRUE(metered_execution(readings_of(0.8), window, 1, Seconds(0)));
  EXPECT_FALSE(metered_execution(readings_of(0.8), window, 1, Seconds(0.2))) << "idle is asked for";
  EXPECT_FALSE(metered_execution(readings_of(10.0), {time_of(3.0), time_of(4.5)}, 1, Seconds(0)));
  EXPECT_FALSE(metered_execution({}, window, 1, Seconds(0)));
}

}  // namespace
}  // namespace truewatt::calibrate
