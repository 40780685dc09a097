#include "truewatt/idle/ladder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "truewatt/testing/test_folder.hpp"

namespace truewatt::idle {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IdleLadder : public ::testing::Test {
 protected:
  devices::DeviceSet opened(const std::string& toml) {
    const auto path = folder_.path() / "board.toml";
    std::ofstream(path) << toml;
    auto set = devices::open_devices({.selectors = {"sim:" + path.string()}}, {});
    EXPECT_TRUE(set) << set.error().message;
    return std::move(*set);
  }
  Ladder climbed(const std::string& toml, const Options& options = {}) {
    auto set = opened(toml);
    auto ladder = climb(set, {}, options);
    EXPECT_TRUE(ladder) << ladder.error().message;
    return ladder ? std::move(*ladder) : Ladder{};
  }

  /// `power` are keys of [power], `sensor` of both sensors. Four multiprocessors: what the loops'
  /// own instructions cost is below 0.01 W.
  static std::string board(const std::string& power, const std::string& sensor = "",
                           const std::string& more = "") {
    return fmt::format(
        "[power]\nmax_w = 500\nnoise_w = 1\n{}\n"
        "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\n"
        "averaging_window_s = 0.1\n{}\n[[sensor]]\nsource = \"energy.counter\"\n"
        "update_period_s = 0.1\naveraging_window_s = 0.1\n{}\n"
        "[machine]\nsms = 4\nclock_hz = 1.4e9\nspin_w = 30\n{}",
        power, sensor, sensor, more);
  }

  static const Row& row(const Ladder& ladder, Rung rung) {
    const auto found = std::find_if(ladder.rows.begin(), ladder.rows.end(),
                                    [rung](const Row& one) { return one.rung == rung; });
    EXPECT_NE(found, ladder.rows.end());
    return *found;
  }

  testing_support::TestFolder folder_;
};

void expect_holds(const std::optional<Interval>& found, double truth) {
  ASSERT_TRUE(found);
  EXPECT_LE(found->lower, truth);
  EXPECT_GE(found->upper, truth);
}

TEST_F(IdleLadder, FindsWhatABoardDrawsOnEveryRung) {
  const Ladder ladder = climbed(board("sleep_w = 40\nidle_w = 80"));
  ASSERT_EQ(ladder.rows.size(), 5U);
  expect_holds(row(ladder, Rung::bare).power_w, 40);
  expect_holds(row(ladder, Rung::context).power_w, 80);
  expect_holds(row(ladder, Rung::active).power_w, 80);
  expect_holds(row(ladder, Rung::resident).above_context_w, 30);
  expect_holds(row(ladder, Rung::spinning).above_context_w, 30);
  expect_holds(row(ladder, Rung::spinning).power_w, 110);
  for (const Row& one : ladder.rows) {
    EXPECT_EQ(one.stretches, 2) << to_string(one.rung);
    EXPECT_THAT(one.reasons, ElementsAre()) << to_string(one.rung);
    EXPECT_LT(half_width_of(*one.power_w), 1.0) << to_string(one.rung);
  }
  EXPECT_EQ(row(ladder, Rung::bare).seen.p_state, 8);
  EXPECT_EQ(row(ladder, Rung::context).seen.sm_clock_hz, 1.4e9);
  // A simulated context goes a second after the last that was played.
  ASSERT_TRUE(row(ladder, Rung::bare).settled);
  EXPECT_NEAR(row(ladder, Rung::bare).settled->count(), 1.0, 0.5);
  EXPECT_LE(ladder.took, Seconds(60));
  EXPECT_FALSE(ladder.interrupted);
}

TEST_F(IdleLadder, RightAfterWorkIsARungOfItsOwnAndTheBoardRestsWhenItIsOver) {
  const Ladder ladder = climbed(board(
      "sleep_w = 40\nidle_w = 80\nactive_idle_w = 120\nactive_idle_hold_s = 3\nstep_down_s = 1"));
  expect_holds(row(ladder, Rung::active).power_w, 120);
  expect_holds(row(ladder, Rung::active).above_context_w, 40);
  expect_holds(row(ladder, Rung::context).power_w, 80);
  // 3 s, and four steps of which the last comes 3 s later.
  ASSERT_TRUE(row(ladder, Rung::active).settled);
  EXPECT_NEAR(row(ladder, Rung::active).settled->count(), 6.0, 0.3);
  EXPECT_EQ(row(ladder, Rung::context).stretches, 2);
}

TEST_F(IdleLadder, AgainstAMeterTheIntervalHoldsWhatTheSensorHides) {
  const Ladder ladder = climbed(board("sleep_w = 40\nidle_w = 80", "gain = 0.96\noffset_w = 1.5"));
  expect_holds(row(ladder, Rung::bare).power_w, 0.96 * 40 + 1.5);
  expect_holds(row(ladder, Rung::bare).against_meter_w, 40);
  expect_holds(row(ladder, Rung::context).against_meter_w, 80);
  expect_holds(row(ladder, Rung::spinning).against_meter_w, 110);
}

TEST_F(IdleLadder, BareHasNoNumberWhereAnotherProcessHasAContext) {
  const Ladder ladder =
      climbed(board("sleep_w = 40\nidle_w = 80", "", "[faults]\nother_work = [[0, 1000, 1e-4]]\n"));
  const Row& bare = row(ladder, Rung::bare);
  EXPECT_FALSE(bare.power_w);
  EXPECT_FALSE(bare.against_meter_w);
  EXPECT_THAT(bare.reasons, ElementsAre(Reason::other_context));
  EXPECT_THAT(ladder.notes, Contains(HasSubstr("another process seems to hold a context")));
  EXPECT_THAT(ladder.notes, Contains(HasSubstr("80.0 W, 1400 MHz")));
  expect_holds(row(ladder, Rung::context).power_w, 80);
}

TEST_F(IdleLadder, NothingIsIdleWhereAnotherProcessWorks) {
  const Ladder ladder =
      climbed(board("sleep_w = 40\nidle_w = 80", "", "[faults]\nother_work = [[0, 1000, 0.05]]\n"));
  for (const Row& one : ladder.rows) {
    EXPECT_FALSE(one.power_w) << to_string(one.rung);
    EXPECT_THAT(one.reasons, Contains(Reason::other_work)) << to_string(one.rung);
  }
  EXPECT_THAT(ladder.notes, Contains(HasSubstr("measure when it is free")));
}

TEST_F(IdleLadder, WhatWasStoppedSaysWhatHadNoTurn) {
  std::stop_source stop;
  stop.request_stop();
  Options options;
  options.stop = stop.get_token();
  const Ladder ladder = climbed(board("sleep_w = 40\nidle_w = 80"), options);
  EXPECT_TRUE(ladder.interrupted);
  ASSERT_EQ(ladder.rows.size(), 5U);
  EXPECT_THAT(row(ladder, Rung::spinning).reasons, ElementsAre(Reason::not_reached));
}

TEST_F(IdleLadder, ASmallBudgetIsKept) {
  const Ladder ladder = climbed(board("sleep_w = 40\nidle_w = 80"), {.budget = kShortestBudget});
  EXPECT_LE(ladder.took, kShortestBudget);
  expect_holds(row(ladder, Rung::bare).power_w, 40);
  expect_holds(row(ladder, Rung::spinning).power_w, 110);
}

}  // namespace
}  // namespace truewatt::idle
