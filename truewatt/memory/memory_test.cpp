#include "truewatt/memory/memory.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "truewatt/testing/memory_board.hpp"

namespace truewatt::memory {
namespace {

using testing_support::expect_near;
using Memory = testing_support::MemoryBoard;
using kernels::Data;
using kernels::MemoryOperation;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST_F(Memory, FindsHiddenEnergiesOfLoadsStoresAndZeros) {
  const Table table = measured("[machine]\nspin_w = 60\n", quick());
  EXPECT_EQ(table.verified_by, "simulated");
  ASSERT_EQ(table.levels.size(), 16U);
  const auto row = [&](Level level, MemoryOperation operation, Data data) {
    return find_row(table, {level, operation, data});
  };
  expect_near(row(Level::shared, MemoryOperation::load, Data::random), 60e-12);
  expect_near(row(Level::l1, MemoryOperation::load, Data::random), 150e-12);
  expect_near(row(Level::l2, MemoryOperation::load, Data::random), 900e-12);
  expect_near(row(Level::dram, MemoryOperation::load, Data::random), 3e-9);
  expect_near(row(Level::l2, MemoryOperation::store, Data::random), 1.6e-9);
  expect_near(row(Level::dram, MemoryOperation::store, Data::random), 3.6e-9);
  expect_near(row(Level::dram, MemoryOperation::load, Data::zeros), 2e-9);
  for (const LevelRow& one : table.levels) {
    EXPECT_TRUE(one.valid) << to_string(one.key.level);
    EXPECT_DOUBLE_EQ(one.served.value_or(0), 1.0);
  }
  // What DRAM costs beyond L2, with an interval of its own.
  const LevelRow* dram = row(Level::dram, MemoryOperation::load, Data::random);
  ASSERT_TRUE(dram->increment_j);
  EXPECT_NEAR(dram->increment_j->value, 2.1e-9, 0.03 * 2.1e-9);
  EXPECT_GT(table.r_squared.value_or(0), 0.999);
  ASSERT_TRUE(table.idle_w && table.spin_w);
  EXPECT_NEAR(table.idle_w->value, 80, 2);
  EXPECT_NEAR(table.spin_w->value, 60, 2);
}

TEST_F(Memory, WhatAWalkDrawsAboveIdleIsTheSameInOtherOrder) {
  // Loops of two accesses reach the same rate as those of eight and do more beside them.
  const std::string costly =
      "[machine]\nspin_w = 10\n[instructions]\n\"add.u32\" = 20e-12\n"
      "\"xor.b32\" = 20e-12\n\"and.b32\" = 20e-12\n";
  Options options = quick();
  const Table first = measured(costly, options);
  options.seed = 2;
  const Table second = measured(costly, options);
  ASSERT_EQ(first.levels.size(), second.levels.size());
  for (std::size_t i = 0; i < first.levels.size(); ++i) {
    const auto& one = first.levels[i].above_idle_j;
    const auto& other = second.levels[i].above_idle_j;
    ASSERT_TRUE(one && other);
    EXPECT_NEAR(one->value, other->value, half_width_of(*one) + half_width_of(*other)) << i;
  }
}

TEST_F(Memory, WhatTheNextLevelServesIsChargedToIt) {
  const Table table = measured("[machine]\nstray = 0.03\n", quick());
  const LevelRow* l2 = find_row(table, {Level::l2, MemoryOperation::load, Data::random});
  expect_near(l2, 900e-12);
  EXPECT_NEAR(l2->served.value_or(0), 0.97, 1e-6);
  EXPECT_THAT(l2->reasons, Contains(Reason::mixed_levels));
  EXPECT_TRUE(l2->valid);
}

TEST_F(Memory, ALevelThatServesTooLittleHasNoNumber) {
  const Table table = measured("[machine]\nstray = 0.2\n", quick());
  const LevelRow* l2 = find_row(table, {Level::l2, MemoryOperation::load, Data::random});
  ASSERT_NE(l2, nullptr);
  EXPECT_THAT(l2->reasons, Contains(Reason::wrong_level));
  EXPECT_FALSE(l2->valid);
  EXPECT_THAT(l2->detail, HasSubstr("80.0 %"));
  // What lies beyond it has nothing to be compared with.
  const LevelRow* dram = find_row(table, {Level::dram, MemoryOperation::load, Data::random});
  ASSERT_NE(dram, nullptr);
  EXPECT_FALSE(dram->increment_j);
  EXPECT_TRUE(find_row(table, {Level::l1, MemoryOperation::load, Data::random})->valid);
}

TEST_F(Memory, WhatALevelWithoutANumberServedIsLeftToNobody) {
  // The array that should go to DRAM stays in an L2 of 1 GiB, so that DRAM has no number.
  std::string toml = board("[machine]\nstray = 0.05\n");
  const std::string small = "l2_bytes = 25165824";
  toml.replace(toml.find(small), small.size(), "l2_bytes = 1073741824");
  const Table table = measured_as(toml, quick());
  const LevelRow* l2 = find_row(table, {Level::l2, MemoryOperation::load, Data::random});
  ASSERT_NE(l2, nullptr);
  EXPECT_FALSE(l2->valid);
  EXPECT_THAT(l2->reasons, Contains(Reason::unpaid_level));
  EXPECT_TRUE(find_row(table, {Level::l1, MemoryOperation::load, Data::random})->valid);
}

TEST_F(Memory, TheSensorOfTheMemoryIsReadBesideTheIncrement) {
  std::string toml = board(
      "[[sensor]]\nsource = \"power.average\"\nscope = \"memory\"\nupdate_period_s = 0.1\n"
      "averaging_window_s = 1.0\ngain = 0.25\n");
  const std::string cheap = "l2 = 300e-12";
  toml.replace(toml.find("l2 = 900e-12"), cheap.size(), cheap);
  const Table table = measured_as(toml, quick());
  const LevelRow* dram = find_row(table, {Level::dram, MemoryOperation::load, Data::random});
  ASSERT_NE(dram, nullptr);
  ASSERT_TRUE(table.scope);
  EXPECT_NEAR(table.scope->dram_w, 0.25 * *dram->power_w, 0.02 * *dram->power_w);
  EXPECT_NEAR(table.scope->bytes_per_s, *dram->bytes_per_s, 0.05 * *dram->bytes_per_s);
  EXPECT_NEAR(table.scope->joules_per_byte(),
              (table.scope->dram_w - table.scope->l2_w) / table.scope->bytes_per_s, 1e-15);
}

TEST_F(Memory, WithoutCountersTimeStandsInAndTheResultSaysSo) {
  for (const bool denied : {true, false}) {
    const Table table = measured(denied ? "[faults]\ncounters_denied = true\n" : "", quick(denied));
    EXPECT_EQ(table.verified_by, "time");
    EXPECT_EQ(denied, std::any_of(table.notes.begin(), table.notes.end(), [](const auto& note) {
                return note.find("hardware counters") != std::string::npos;
              }));
    const LevelRow* dram = find_row(table, {Level::dram, MemoryOperation::load, Data::random});
    expect_near(dram, 3e-9);
    EXPECT_TRUE(dram->valid);
    for (const LevelRow& row : table.levels) {
      EXPECT_THAT(row.reasons, Contains(Reason::not_counted));
      EXPECT_FALSE(row.served);
    }
    // What nobody counted is not known as well.
    const LevelRow* l2 = find_row(table, {Level::l2, MemoryOperation::load, Data::random});
    EXPECT_GT(half_width_of(*l2->sector_j), 0.03 * l2->sector_j->value);
    // DRAM takes stores as fast as L2 does: what they cost tells the two apart.
    for (const auto& [level, joules] : {std::pair(Level::l2, 1.6e-9), {Level::dram, 3.6e-9}}) {
      const LevelRow* store = find_row(table, {level, MemoryOperation::store, Data::random});
      expect_near(store, joules);
      EXPECT_TRUE(store->valid);
    }
  }
}

TEST_F(Memory, BeyondALevelThatTimeRefusesThereIsNoIncrement) {
  const Table table = measured("[machine]\nstray = 0.9\n", quick(false));
  const LevelRow* l2 = find_row(table, {Level::l2, MemoryOperation::load, Data::random});
  const LevelRow* dram = find_row(table, {Level::dram, MemoryOperation::load, Data::random});
  ASSERT_NE(l2, nullptr);
  ASSERT_NE(dram, nullptr);
  EXPECT_THAT(l2->reasons, Contains(Reason::wrong_level));
  EXPECT_FALSE(dram->increment_j);
}

/// Keeps what other counters count.
class Recorder final : public counters::Counters {
 public:
  explicit Recorder(std::unique_ptr<Counters> counters) : counters_(std::move(counters)) {}
  std::string_view name() const override { return counters_->name(); }
  Result<counters::Counts> count(const std::function<Result<void>()>& launch) override {
    auto counts = counters_->count(launch);
    if (counts) counted.push_back(*counts);
    return counts;
  }
  std::vector<counters::Counts> counted;

 private:
  std::unique_ptr<Counters> counters_;
};

/// Says what was counted elsewhere, launch by launch.
class Replay final : public counters::Counters {
 public:
  explicit Replay(std::vector<counters::Counts> counted) : counted_(std::move(counted)) {}
  ~Replay() override { EXPECT_EQ(next_, counted_.size()) << "each launch was asked for once"; }
  std::string_view name() const override { return "ncu"; }
  Result<counters::Counts> count(const std::function<Result<void>()>& launch) override {
    if (next_ == counted_.size()) return Unexpected(Errc::insufficient_data, "no more");
    if (auto launched = launch(); !launched) return Unexpected(launched.error());
    return counted_[next_++];
  }

 private:
  std::vector<counters::Counts> counted_;
  std::size_t next_ = 0;
};

// A process that launches what this one would have counted, counted from outside: the same launches
// in the same order.
TEST_F(Memory, WhatAnotherProcessCountedVerifiesTheLevels) {
  Options options = quick();
  options.products = true;
  options.only_elsewhere = true;
  options.elsewhere = [&](const CountedPlan& plan) -> Result<std::unique_ptr<counters::Counters>> {
    EXPECT_TRUE(plan.products);
    auto other = devices::open_devices(
        {.selectors = {"sim:" + (folder_.path() / "board.toml").string()}}, {});
    EXPECT_TRUE(other);
    Recorder recorder(devices::make_counters(other->devices.front()));
    const auto launched = launch_what_is_counted(*other, {}, recorder, plan);
    EXPECT_TRUE(launched) << launched.error().message;
    return std::unique_ptr<counters::Counters>(std::make_unique<Replay>(recorder.counted));
  };
  const Table table = measured("[machine]\nspin_w = 60\n", options);
  EXPECT_EQ(table.verified_by, "ncu");
  EXPECT_FALSE(table.products.empty());
  for (const LevelRow& row : table.levels) {
    EXPECT_TRUE(row.valid) << to_string(row.key.level);
    EXPECT_DOUBLE_EQ(row.served.value_or(0), 1.0);
  }
  expect_near(find_row(table, {Level::dram, MemoryOperation::load, Data::random}), 3e-9);
}

TEST_F(Memory, WhereNobodyElseCountsTimeStandsIn) {
  Options options = quick();
  options.only_elsewhere = true;
  options.elsewhere = [](const CountedPlan&) -> Result<std::unique_ptr<counters::Counters>> {
    return Unexpected(Errc::permission, "ncu was refused");
  };
  const Table table = measured("", options);
  EXPECT_EQ(table.verified_by, "time");
  EXPECT_THAT(table.notes, Contains(HasSubstr("ncu was refused")));
}

/// One that averages over 1 s, read so often.
std::string with_slow_sensor(std::string toml, double period) {
  const std::size_t begin = toml.find("[[sensor]]");
  return toml.replace(begin, toml.find("[memory]") - begin,
                      fmt::format("[[sensor]]\nsource = \"power.usage\"\nupdate_period_s = {}\n"
                                  "averaging_window_s = 1.0\n",
                                  period));
}

// Few seconds show nothing of such a window: rows were a fifth low.
TEST_F(Memory, ShortBudgetsOfSlowSensorsMakeNoRowLow) {
  const std::string toml = with_slow_sensor(board(""), 0.5);
  const std::map<Level, double> hidden{
      {Level::shared, 60e-12}, {Level::l1, 150e-12}, {Level::l2, 900e-12}, {Level::dram, 3e-9}};
  std::size_t valid = 0;
  std::size_t held = 0;
  for (const std::uint64_t seed : {2U, 3U, 4U}) {
    Options options = quick(false);
    options.seed = seed;
    const Table table = measured_as(toml, options);
    for (const auto& [level, joules] : hidden) {
      const LevelRow* row = find_row(table, {level, MemoryOperation::load, Data::random});
      if (!row->valid) continue;
      ++valid;
      held += row->sector_j->lower <= joules && joules <= row->sector_j->upper ? 1 : 0;
    }
  }
  EXPECT_GT(valid, 0U);
  EXPECT_EQ(held, valid);
}

TEST_F(Memory, WhereTheTimeIsShortFewerRowsHaveATurn) {
  const Table table = measured_as(with_slow_sensor(board(""), 0.1), quick(false));
  expect_near(find_row(table, {Level::shared, MemoryOperation::load, Data::random}), 60e-12);
  expect_near(find_row(table, {Level::dram, MemoryOperation::load, Data::random}), 3e-9);
  expect_near(find_row(table, {Level::l2, MemoryOperation::load, Data::random}), 900e-12);
  const LevelRow* last = find_row(table, {Level::l1, MemoryOperation::store, Data::zeros});
  EXPECT_THAT(last->reasons, Contains(Reason::not_measured));
  EXPECT_THAT(table.notes, Contains(HasSubstr("rows had no turn; --budget")));
}

TEST_F(Memory, FewThreadsAreChargedWithWhatTheBoardDraws) {
  Options options{.budget = Seconds(200)};
  const Table table = measured("[machine]\nspin_w = 60\n", options);
  const auto of = [&](Level level, unsigned threads, double share = 1.0) {
    const auto found = std::find_if(table.sweep.begin(), table.sweep.end(), [&](const auto& one) {
      return one.level == level && one.parallel == Parallelism{threads, share};
    });
    EXPECT_NE(found, table.sweep.end());
    return found->sector_j->value;
  };
  EXPECT_EQ(table.sweep.size(), 56U);
  EXPECT_GT(of(Level::l1, 1), 15 * of(Level::l1, 1024));
  EXPECT_GT(of(Level::l1, 1024), 150e-12);
  // What spinning draws does not shrink with the blocks: fewer accesses pay for it.
  EXPECT_GT(of(Level::l1, 1024, 0.125), of(Level::l1, 1024, 0.25));
  EXPECT_GT(of(Level::l1, 1024, 0.25), of(Level::l1, 1024, 0.5));
  EXPECT_GT(of(Level::l1, 1024, 0.5), 1.1 * of(Level::l1, 1024));
  // A division costs the same beside whatever load, once there are enough of them.
  const auto known = std::find_if(table.sweep.begin(), table.sweep.end(), [](const auto& one) {
    return one.level == Level::l1 && one.parallel == Parallelism{1024, 1.0};
  });
  ASSERT_TRUE(known != table.sweep.end() && known->division_j);
  EXPECT_LT(half_width_of(*known->division_j), 0.05 * known->division_j->value);
  for (const SweepPoint& point : table.sweep) {
    if (point.parallel.threads < 64 || point.parallel.share < 1.0) continue;
    ASSERT_TRUE(point.division_j);
    EXPECT_NEAR(point.division_j->value, known->division_j->value,
                2 * half_width_of(*point.division_j))
        << to_string(point.level) << point.parallel.threads;
  }
  ASSERT_EQ(table.lines.size(), 2U);
  EXPECT_GT(table.lines.back().r_squared, 0.99);
  // Delestrac et al. (2024, section VI-C): 0.96 with one thread, 0.99 with 1024.
  ASSERT_EQ(table.chain_fits.size(), 14U);
  for (const ParallelFit& fit : table.chain_fits) {
    EXPECT_GE(fit.runs, fit.parallel.share < 1.0 ? 8U : 16U);
    if (fit.parallel.threads < 128) continue;
    EXPECT_GE(fit.r_squared, 0.99) << fit.parallel.threads;
  }
}

// Of looks of 20 in 100 ms 15 s may tell no window: idle was 54 ± 245 W, and no row had an energy.
TEST_F(Memory, ASensorThatIsHardlyKnownIsCharacterizedForLonger) {
  Options options = quick();
  options.budget = Seconds(150);
  options.seed = 143;
  const Table table = measured_as(
      "[power]\nsleep_w = 69.1559\nidle_w = 92.2079\nmax_w = 477.2941\nnoise_w = 0.3582\n"
      "rise_time_constant_s = 0.0967\nrise_fraction = 0.2917\n"
      "[machine]\nsms = 40\nclock_hz = 1.07069e9\nspin_w = 49.2425\nstray = 0.00441\n"
      "clock_exponent = 2.4227\n"
      "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\n"
      "averaging_window_s = 0.02\nnoise_w = 0.47836186168983924\n"
      "[memory]\nshared = 75e-12\nl1 = 289e-12\nl2 = 407e-12\ndram = 1.44e-9\n"
      "[caches]\nl1_bytes = 196608\nl2_bytes = 19961232\n",
      options);
  ASSERT_TRUE(table.idle_w);
  EXPECT_LT(half_width_of(*table.idle_w), 1.0);
  expect_near(find_row(table, {Level::l2, MemoryOperation::load, Data::random}), 407e-12);
  expect_near(find_row(table, {Level::dram, MemoryOperation::load, Data::random}), 1.44e-9);
}

TEST_F(Memory, PredictsProductsOfMatrices) {
  Options options = quick();
  options.products = true;
  const Table table = measured("[machine]\nspin_w = 60\n", options);
  ASSERT_EQ(table.products.size(), 4U);
  for (const PredictedProduct& one : table.products) {
    SCOPED_TRACE(one.size);
    const double measured = one.measured_j.value;
    EXPECT_NEAR(one.predicted_j.value, measured, 0.05 * measured);
    EXPECT_LE(one.predicted_j.lower, measured);
    EXPECT_GE(one.predicted_j.upper, measured);
    double parts = one.computing_j + one.spinning_j;
    for (const double level : one.levels_j) parts += level;
    EXPECT_NEAR(parts, one.predicted_j.value, 1e-9 * parts);
    EXPECT_GT(one.levels_j[0], one.levels_j[1]);
  }
  // Eight times the multiply-adds and loads, four times the stores; small matrices stay in L2.
  EXPECT_NEAR(table.products[1].measured_j.value / table.products[0].measured_j.value, 8, 0.25);
  EXPECT_EQ(table.products[0].levels_j[3], 0);
  EXPECT_GT(table.products[3].levels_j[3], 0);
}

TEST_F(Memory, WithoutCountersProductsRestOnTilesAndTheSizeOfL2) {
  Options options = quick(false);
  options.products = true;
  const Table table = measured("[machine]\nspin_w = 60\n", options);
  EXPECT_EQ(table.verified_by, "time");
  EXPECT_THAT(table.notes, Contains(HasSubstr("computed from their tiles")));
  ASSERT_EQ(table.products.size(), 4U);
  for (const PredictedProduct& one : table.products) {
    SCOPED_TRACE(one.size);
    EXPECT_FALSE(one.counted);
    EXPECT_LE(one.predicted_j.lower, one.measured_j.value);
    EXPECT_GE(one.predicted_j.upper, one.measured_j.value);
    EXPECT_GT(half_width_of(one.predicted_j), 0.04 * one.predicted_j.value);
    EXPECT_LT(half_width_of(one.predicted_j), 0.35 * one.predicted_j.value);
  }
  EXPECT_EQ(table.products[0].levels_j[3], 0) << "a matrix of 1 MiB stays in L2";
  EXPECT_GT(table.products[3].levels_j[3], 0) << "one of 64 MiB does not";
}

TEST_F(Memory, WithoutCountersAndWithoutL2ProductsSayWhatIsMissing) {
  std::string toml = board("");
  const std::string small = "l2_bytes = 25165824";
  toml.replace(toml.find(small), small.size(), "l2_bytes = 256");
  Options options = quick(false);
  options.products = true;
  const Table table = measured_as(toml, options);
  EXPECT_TRUE(table.products.empty());
  EXPECT_THAT(table.notes, Contains(HasSubstr("products of matrices are missing")));
}

TEST_F(Memory, MeasuresOneDeviceAtATime) {
  auto set = devices::open_devices({.selectors = {"sim:h100", "sim:a100"}}, {});
  ASSERT_TRUE(set);
  EXPECT_EQ(measure_memory(*set, {}, {}).error().code, Errc::invalid_argument);
}

}  // namespace
}  // namespace truewatt::memory
