#include "truewatt/instructions/instructions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "truewatt/testing/instruction_device.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::instructions {
namespace {

using ::testing::HasSubstr;

class Instructions : public ::testing::Test {
 protected:
  Table measured(const std::string& toml, const Options& options) {
    const auto path = folder_.path() / "board.toml";
    std::ofstream(path) << toml;
    auto set = devices::open_devices({.selectors = {"sim:" + path.string()}}, {});
    EXPECT_TRUE(set) << set.error().message;
    auto table = measure_instructions(*set, {}, options);
    EXPECT_TRUE(table) << table.error().message;
    return table ? std::move(*table) : Table{};
  }

  static std::string board(const std::string& more, double most = 500) {
    return fmt::format(
        "[power]\nsleep_w = 40\nidle_w = 80\nmax_w = {}\nnoise_w = 1\n"
        "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\n"
        "averaging_window_s = 0.1\n[[sensor]]\nsource = \"energy.counter\"\n"
        "update_period_s = 0.1\naveraging_window_s = 0.1\n"
        "[machine]\nsms = 60\nclock_hz = 1.4e9\nlanes_per_cycle = 64\n{}",
        most, more);
  }

  static Options only(std::vector<std::string> names) {
    Options options{.budget = Seconds(200)};
    options.selection.only = std::move(names);
    options.selection.optimizations = {kernels::Optimization::O3};
    return options;
  }

  testing_support::TestFolder folder_;
};

/// Within its interval, or 3 % (a twentieth of intervals may miss).
void expect_near(const std::optional<Interval>& found, double truth) {
  ASSERT_TRUE(found);
  const double half = std::max(1.5 * half_width_of(*found), 0.01 * truth);
  EXPECT_NEAR(found->value, truth, half);
}

TEST_F(Instructions, FindsHiddenEnergiesAboveWhatSpinningDraws) {
  const Table table =
      measured(board("spin_w = 150\n[instructions]\n\"add.s32\" = 3e-12\n\"fma.rn.f32\" = 2e-11\n"),
               only({"add.s32", "fma.rn.f32"}));
  ASSERT_EQ(table.rows.size(), 2U);
  expect_near(table.rows[0].above_spin_j, 3e-12);
  expect_near(table.rows[1].above_spin_j, 2e-11);
  ASSERT_TRUE(table.baselines.spin_w);
  EXPECT_NEAR(table.baselines.spin_w->value, 150, 3);
  // 64 lanes of 60 multiprocessors at 1.4 GHz; the loop's own instructions are in none of it.
  const double rate = 60 * 64 * 1.4e9;
  expect_near(table.rows[0].dynamic_j, 3e-12 + 150 / rate);
  expect_near(table.rows[0].total_j, 3e-12 + (150 + 80) / rate);
  for (const Row& row : table.rows) EXPECT_TRUE(row.valid);
}

TEST_F(Instructions, ARowWhoseIntervalHoldsNothingHasNoNumber) {
  std::string toml = board("[instructions]\n\"add.s32\" = 1e-12\n");
  toml.replace(toml.find("noise_w = 1\n"), 12, "noise_w = 60\n");
  Options options = only({"add.s32"});
  options.budget = Seconds(40);
  const Table table = measured(toml, options);
  ASSERT_EQ(table.rows.size(), 1U);
  const Row& row = table.rows.front();
  ASSERT_TRUE(row.dynamic_j);
  EXPECT_LT(row.dynamic_j->lower, 0.0);
  EXPECT_FALSE(row.valid);
  EXPECT_THAT(row.reasons, ::testing::Contains(Reason::not_measured));
  EXPECT_THAT(row.detail, HasSubstr("holds 0"));
}

TEST_F(Instructions, ALoopOfTwiceTheOverheadChangesNothing) {
  const std::string toml =
      board("spin_w = 100\n[instructions]\n\"fma.rn.f32\" = 2e-11\n\"mad.lo.u32\" = 5e-11\n");
  Options options = only({"fma.rn.f32"});
  options.overhead = kernels::LoopOverhead::doubled;
  const Table table = measured(toml, options);
  ASSERT_EQ(table.rows.size(), 1U);
  expect_near(table.rows[0].above_spin_j, 2e-11);
}

TEST_F(Instructions, AFoldedInstructionHasNoNumber) {
  const Table table = measured(board("folded = [\"add.s32\"]\n"), only({"add.s32", "fma.rn.f32"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_FALSE(table.rows[0].valid);
  EXPECT_FALSE(table.rows[0].dynamic_j);
  EXPECT_THAT(table.rows[0].reasons, ::testing::ElementsAre(Reason::folded));
  EXPECT_THAT(table.rows[0].detail, HasSubstr("0.5 of 1 per instruction are left"));
  EXPECT_TRUE(table.rows[1].valid);
}

TEST_F(Instructions, AboveThePowerLimitFewerMultiprocessorsTellIt) {
  const Table table =
      measured(board("[instructions]\n\"fma.rn.f32\" = 1.5e-10\n"), only({"fma.rn.f32"}));
  ASSERT_EQ(table.rows.size(), 1U);
  const Row& row = table.rows[0];
  EXPECT_TRUE(row.valid);
  EXPECT_LT(row.share, 1.0);
  EXPECT_THAT(row.reasons, ::testing::Contains(Reason::fewer_blocks));
  EXPECT_THAT(row.reasons, ::testing::Not(::testing::Contains(Reason::clocks_limited)));
  expect_near(row.dynamic_j, 1.5e-10);
}

// 27 kW on all multiprocessors, and the clock takes energy down.
TEST_F(Instructions, WhatAFifthOfThemDrawsTooMuchForRunsOnFewerStill) {
  Options options = only({"fma.rn.f32", "shl.b32"});
  options.budget = Seconds(300);
  const Table table = measured(board("clock_exponent = 1.5\n[instructions]\n\"fma.rn.f32\" = 5e-9\n"
                                     "\"shl.b32\" = 1e-9\n\"xor.b32\" = 2e-9\n"),
                               options);
  const auto expect_share = [&](const char* name, double joules) {
    const Row* row = find_row(table, {name});
    ASSERT_NE(row, nullptr) << name;
    EXPECT_TRUE(row->valid) << name;
    EXPECT_LT(row->share, 0.2) << name;
    expect_near(row->above_spin_j, joules);
  };
  expect_share("fma.rn.f32", 5e-9);
  expect_share("shl.b32", 1e-9);
}

// 4 kW on all multiprocessors: twelve rows begin anew twice, and are played once at each share.
TEST_F(Instructions, RowsThatMeetTheLimitDoNotRunOnUntilTheyBeginAnew) {
  Options options = only({"add.s32", "add.u32", "sub.s32", "max.s32", "min.s32", "and.b32",
                          "or.b32", "xor.b32", "add.f32", "mul.f32", "fma.rn.f32", "max.f32"});
  options.budget = Seconds(130);
  std::string toml = board("clock_exponent = 3\n[instructions]\n", 200);
  for (const std::string& name : options.selection.only)
    toml += fmt::format("\"{}\" = 4e-10\n", name);
  const Table table = measured(toml, options);
  ASSERT_EQ(table.rows.size(), 12U);
  for (const Row& row : table.rows) {
    EXPECT_TRUE(row.valid) << row.key.instruction;
    expect_near(row.dynamic_j, 4e-10);
  }
}

// Their stretches meet: what one drew says nothing of the next.
TEST_F(Instructions, RowsBesideOneThatMeetsTheLimitStayWhereTheyAre) {
  Options options = only({"add.s32", "max.s32", "min.s32", "not.b32", "and.b32", "max.f32"});
  options.budget = Seconds(60);
  const Table table = measured(board("[instructions]\n\"add.s32\" = 1.5e-10\n"), options);
  ASSERT_EQ(table.rows.size(), 6U);
  for (const Row& row : table.rows) {
    EXPECT_TRUE(row.valid) << row.key.instruction;
    EXPECT_EQ(row.share < 1.0, row.key.instruction == "add.s32") << row.key.instruction;
  }
}

// A simulated device runs the instruction alone, a real one what it needs beside it, too.
TEST_F(Instructions, AnInstructionWithoutOthersInItsLoopIsNoPair) {
  const Table table = measured(board("[instructions]\n\"selp.b32\" = 6e-12\n"), only({"selp.b32"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].machine.size(), 1U);
  EXPECT_TRUE(table.rows[0].partner.empty());
  EXPECT_TRUE(table.rows[0].reasons.empty());
  expect_near(table.rows[0].dynamic_j, 6e-12);
}

// Idle is the whole board's, and half of it on half of them is another energy in all.
TEST_F(Instructions, APartnerOnFewerMultiprocessorsIsSubtractedAsIfOnAsMany) {
  const Table table = measured(
      board("[instructions]\n\"xor.b32\" = 1.2e-10\n\"shl.b32\" = 1e-11\n"), only({"shl.b32"}));
  const Row* shift = find_row(table, {"shl.b32"});
  const Row* partner = find_row(table, {"xor.b32"});
  ASSERT_NE(shift, nullptr);
  ASSERT_NE(partner, nullptr);
  EXPECT_LT(partner->share, shift->share);
  expect_near(shift->dynamic_j, 1e-11);
  expect_near(shift->total_j, 1e-11 + 80 / (64 * 60 * 1.4e9));
}

// A pair of popc and xor takes 5 cycles, popc 4 of them; xor alone, on half of the multiprocessors,
// says nothing of that.
TEST_F(Instructions, TheTimeOfAPartnerOnFewerMultiprocessorsIsOpen) {
  const Table table = measured(
      "[power]\nidle_w = 40\nmax_w = 200\nnoise_w = 0.3\n"
      "[machine]\nsms = 80\nclock_hz = 1.5e9\nlanes_per_cycle = 128\nspin_w = 20\n"
      "[instructions]\n\"xor.b32\" = 1.2e-11\n\"popc.b32\" = 2.0e-11\n"
      "[[sensor]]\nsource = \"energy.counter\"\nupdate_period_s = 0.1\n",
      only({"popc.b32"}));
  const Row* popc = find_row(table, {"popc.b32"});
  ASSERT_NE(popc, nullptr);
  EXPECT_THAT(popc->reasons, ::testing::Contains(Reason::fewer_blocks));
  expect_near(popc->above_spin_j, 2e-11);
  ASSERT_TRUE(popc->dynamic_j && popc->total_j);
  const double time = 4 / (80 * 1.5e9 * 128);
  EXPECT_GT(popc->dynamic_j->upper, 2e-11 + 20 * time);
  EXPECT_LT(popc->dynamic_j->lower, 2e-11 + 20 * time);
  EXPECT_GT(popc->total_j->upper, 2e-11 + 60 * time);
  EXPECT_LT(popc->total_j->lower, 2e-11 + 60 * time);
}

// One multiprocessor is the fewest.
TEST_F(Instructions, AnEnergyOfNoOneClockIsNotValid) {
  std::string toml = board(
      "clock_exponent = 2\n[instructions]\n\"xor.b32\" = 5e-9\n"
      "\"shl.b32\" = 1e-10\n",
      85);
  const std::string sms = "sms = 60";
  toml.replace(toml.find(sms), sms.size(), "sms = 1");
  const Table table = measured(toml, only({"shl.b32"}));
  const Row* row = find_row(table, {"shl.b32"});
  ASSERT_NE(row, nullptr);
  EXPECT_FALSE(row->valid);
  EXPECT_THAT(row->reasons, ::testing::Contains(Reason::mixed_clocks));
}

// What holds a board may lie below the limit that it names, here 177 W of 200.
TEST_F(Instructions, AClockThatIsLoweredBelowTheNamedLimitIsSeen) {
  const Table table =
      measured(board("[instructions]\n\"fma.rn.f32\" = 1e-10\n", 177), only({"fma.rn.f32"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows[0].reasons, ::testing::Contains(Reason::fewer_blocks));
  expect_near(table.rows[0].dynamic_j, 1e-10);
}

TEST_F(Instructions, OperandsOfZeroAreARowOfTheirOwn) {
  Options options = only({"fma.rn.f32"});
  options.selection.operands = {kernels::Operands::random, kernels::Operands::zeros};
  const Table table = measured(board("[instructions]\n\"fma.rn.f32\" = 2e-11\n"
                                     "[instructions_zeros]\n\"fma.rn.f32\" = 7e-12\n"),
                               options);
  ASSERT_EQ(table.rows.size(), 2U);
  expect_near(table.rows[0].dynamic_j, 2e-11);
  expect_near(table.rows[1].dynamic_j, 7e-12);
}

TEST_F(Instructions, ABoardThatIdlesHighAfterWorkHasNoEnergyAboveIdle) {
  std::string toml = board("[instructions]\n\"fma.rn.f32\" = 2e-11\n");
  toml.insert(toml.find("noise_w"), "active_idle_w = 120\nactive_idle_hold_s = 5\n");
  const Table table = measured(toml, only({"fma.rn.f32"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_FALSE(table.rows[0].valid);
  EXPECT_THAT(table.rows[0].reasons, ::testing::Contains(Reason::active_idle));
  expect_near(table.rows[0].above_spin_j, 2e-11);
}

/// With half of a step missing behind 0.5 s.
std::string rising_slowly(std::string toml) {
  return toml.insert(toml.find("noise_w"), "rise_time_constant_s = 0.5\nrise_fraction = 0.5\n");
}

TEST_F(Instructions, WaitForABoardThatTakesSecondsToRise) {
  const Table table = measured(rising_slowly(board("[instructions]\n\"fma.rn.f32\" = 2e-11\n")),
                               only({"fma.rn.f32"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_TRUE(table.rows[0].valid);
  expect_near(table.rows[0].dynamic_j, 2e-11);
}

// Stretches of 2.2 s: in 100 s the first rows of nine, and what all of them take.
TEST_F(Instructions, WhereTheTimeIsTooShortTheFirstRowsHaveANumberAndANoteSaysWhatReachesAll) {
  Options options = only({"add.*"});
  options.budget = Seconds(100);
  const Table table = measured(rising_slowly(board("")), options);
  ASSERT_GT(table.rows.size(), 8U);
  EXPECT_TRUE(table.rows.front().dynamic_j);
  EXPECT_FALSE(table.rows.back().dynamic_j);
  EXPECT_THAT(
      table.notes,
      ::testing::Contains(HasSubstr("rows had no turn or too short a one: stretches last 2.2 s")));
  EXPECT_THAT(table.notes, ::testing::Contains(HasSubstr("reaches all")));
}

// All loops of five rows would take 28 s of the 30 that are left.
TEST_F(Instructions, WhereTheTimeIsShortRowsHaveFewerCountsAndAllANumber) {
  Options options = only({"add.s32", "max.s32", "min.s32", "and.b32", "max.f32"});
  options.budget = Seconds(45);
  const Table table = measured(board(""), options);
  ASSERT_EQ(table.rows.size(), 5U);
  for (const Row& row : table.rows) EXPECT_TRUE(row.dynamic_j) << row.key.instruction;
}

TEST_F(Instructions, PredictsKernelsOfKnownCounts) {
  Options options = only({"add.s32"});
  options.verify = true;
  options.selection.verified = true;
  const Table table = measured(board("spin_w = 60\n"), options);
  ASSERT_EQ(table.verification.size(), 4U);
  for (const VerifiedKernel& one : table.verification) {
    ASSERT_TRUE(one.measured_w && one.off) << one.name << ": " << one.detail;
    EXPECT_TRUE(one.holds()) << one.name << " " << *one.off;
    EXPECT_LT(std::abs(*one.off), 0.01)
        << one.name << ": the loop's own part of it is predicted too";
  }
}

TEST_F(Instructions, WhatMixedCodeDrawsBesideItsRowsIsMeasuredAndPredicted) {
  Options options = only({"add.f64", "mul.lo.u32", "lop3.b32"});
  options.verify = true;
  options.selection.verified = true;
  const Table table = measured(board("mixing = 0.15\nspin_w = 60\n"), options);
  ASSERT_TRUE(table.mixing);
  EXPECT_EQ(table.mixing->pairs.size(), 8U);
  EXPECT_LT(table.mixing->share_u, 0.02);
  EXPECT_NEAR(table.mixing->share, 0.15, kCoverageFactor95 * table.mixing->share_u);
  ASSERT_EQ(table.verification.size(), 4U);
  for (const VerifiedKernel& one : table.verification) {
    ASSERT_TRUE(one.off) << one.name << ": " << one.detail;
    EXPECT_LT(std::abs(*one.off), 0.01) << one.name;
  }
}

TEST_F(Instructions, KernelsThatTheTableDoesNotPredictDoNotHold) {
  const VerifiedKernel off{.name = "x", .allowed = 0.05, .off = -0.06};
  EXPECT_FALSE(off.holds());
  EXPECT_FALSE((VerifiedKernel{.name = "x", .allowed = 0.05}.holds())) << "nothing was seen";
  EXPECT_TRUE((VerifiedKernel{.name = "x", .allowed = 0.05, .off = -0.04}.holds()));
}

TEST_F(Instructions, AKernelOfKnownCountsNeedsItsRows) {
  Options options = only({"fma.rn.f32"});
  options.verify = true;
  const Table table = measured(board(""), options);
  ASSERT_EQ(table.verification.size(), 4U);
  EXPECT_TRUE(table.verification[0].holds());
  EXPECT_FALSE(table.verification[1].holds());
  EXPECT_THAT(table.verification[1].detail, HasSubstr("add.s32 has no number"));
}

TEST_F(Instructions, OneThreadsEnergyIsTheBoardsIdlePowerTimesItsTime) {
  Options options = only({"add.s32", "mul.hi.u32"});
  options.one_thread = true;
  const Table table =
      measured(board("[instructions]\n\"add.s32\" = 3e-12\n\"mul.hi.u32\" = 9e-12\n"), options);
  const Row* add = find_row(table, {"add.s32"});
  const Row* high = find_row(table, {"mul.hi.u32"});
  ASSERT_TRUE(add != nullptr && add->one_thread);
  ASSERT_TRUE(high != nullptr && high->one_thread) << "less its partner";
  // A thread alone issues its one-cycle instruction every fourth cycle; the board idles at 80 W.
  const double seconds = 4 / 1.4e9;
  EXPECT_NEAR(add->one_thread->instruction.count(), seconds, 1e-3 * seconds);
  EXPECT_NEAR(add->one_thread->idle_j, 80 * seconds, 0.01 * 80 * seconds);
  expect_near(add->one_thread->energy_j, 80 * seconds + 3e-12);
  EXPECT_GT(add->one_thread->energy_j.value, 300 * add->dynamic_j->value);
  EXPECT_NEAR(high->one_thread->instruction.count(), 2 * seconds, 2e-3 * seconds);
  // 10^6 iterations of four copies, and of the loop's own add, comparison and quarter of a branch.
  EXPECT_NEAR(add->one_thread->kernel.count(), 1e6 * (4 + 1 + 1 + 0.25 * 4) * seconds, 1e-5);
}

TEST_F(Instructions, OfTableOneAloneAreItsStandardRowsAndTheirPartners) {
  const auto rows = select_rows({.table_one = true});
  ASSERT_TRUE(rows);
  EXPECT_GT(rows->size(), 100U);
  for (const RowKey& key : *rows) {
    EXPECT_FALSE(kernels::find_instruction(key.instruction)->paper.empty()) << key.instruction;
  }
}

TEST_F(Instructions, AnUnknownNameSaysWhatComesNearest) {
  Selection selection;
  selection.only = {"fma.rm.f32"};
  const auto rows = select_rows(selection);
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().message, HasSubstr("did you mean `fma.rn.f32`"));
}

TEST_F(Instructions, AreNotMeasuredWhereNoSensorFollowsThem) {
  const auto path = folder_.path() / "slow.toml";
  std::ofstream(path) << "[power]\nmax_w = 400\n[[sensor]]\nsource = \"power.average\"\n"
                         "update_period_s = 0.1\naveraging_window_s = 2.0\n";
  auto set = devices::open_devices({.selectors = {"sim:" + path.string()}}, {});
  ASSERT_TRUE(set);
  const auto table = measure_instructions(*set, {}, only({"fma.rn.f32"}));
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, Errc::unavailable);
  EXPECT_THAT(table.error().message, HasSubstr("power.average: It averages over more than 1.6 s"));
}

}  // namespace
}  // namespace truewatt::instructions
