#include <gtest/gtest.h>

#include <thread>

#include "truewatt/library/energy_meter.hpp"

namespace truewatt {
namespace {

using namespace std::chrono_literals;

/// A simulated H100 that works from 0.5 to 1.5 s, in real time.
Result<EnergyMeter> meter() {
  return EnergyMeter::start(
      {.devices = "sim:h100", .simulated_load = "burst:on=1s,gap=0.5s,count=1"});
}

void rest(std::chrono::milliseconds length) { std::this_thread::sleep_for(length); }

const WindowEnergy& named(const std::vector<WindowEnergy>& all, const std::string& label) {
  for (const WindowEnergy& one : all) {
    if (one.label == label) return one;
  }
  ADD_FAILURE() << "no window " << label;
  return all.front();
}

TEST(EnergyMeter, TellsNestedWindowsOfSeveralThreads) {
  auto started = meter();
  ASSERT_TRUE(started) << started.error().message;
  EnergyMeter& meter = *started;
  rest(300ms);
  {
    const EnergyScope all = meter.scope("all");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&meter, i] {
        const EnergyScope mine(meter, "thread " + std::to_string(i));
        rest(std::chrono::milliseconds(400 + 100 * i));
      });
    }
    for (std::thread& thread : threads) thread.join();
    const auto inner = meter.begin("inner");
    EXPECT_EQ(meter.energy(inner).error().code, Errc::invalid_argument);
    rest(400ms);
    meter.end(inner);
    meter.end(inner);
    const auto told = meter.energy(inner);
    ASSERT_TRUE(told) << told.error().message;
    ASSERT_EQ(told->size(), 1U);
    EXPECT_NEAR(told->front().window.count(), 0.4, 0.1);
    EXPECT_TRUE(told->front().truth_j);
  }
  const auto found = meter.stop();
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found.front().label, "all");
  const WindowEnergy& all = named(found, "all");
  ASSERT_TRUE(all.energy) << all.reasons.front();
  EXPECT_LE(all.energy->lower, *all.truth_j);
  EXPECT_GE(all.energy->upper, *all.truth_j);
  EXPECT_TRUE(all.valid);
  EXPECT_FALSE(all.source.empty());
  EXPECT_GT(named(found, "thread 3").truth_j, named(found, "thread 0").truth_j);
  EXPECT_EQ(meter.stop().size(), 6U);
  EXPECT_TRUE(meter.energy(0));
  EXPECT_EQ(meter.energy(6).error().code, Errc::invalid_argument);
}

TEST(EnergyMeter, SaysWhatIsMissing) {
  const auto none = EnergyMeter::start({.devices = "sim:nothing"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("nothing"), std::string::npos) << none.error().message;
  EXPECT_FALSE(EnergyMeter::start({.devices = "sim:h100", .profile = "no/such/file"}));
  EXPECT_FALSE(EnergyMeter::start({.devices = "sim:h100", .simulated_load = "nonsense"}));
}

TEST(EnergyMeter, MayBeMovedAndLeftWithoutStopping) {
  auto started = EnergyMeter::start({.devices = "sim:a100,sim:h100"});
  ASSERT_TRUE(started) << started.error().message;
  EnergyMeter meter = std::move(*started);
  meter.begin("open");
  EXPECT_FALSE(meter.notes().empty());
}

}  // namespace
}  // namespace truewatt
