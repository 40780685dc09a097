#include "truewatt/memory/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace truewatt::memory {
namespace {

constexpr double kFullHz = 1.755e9;

Loop loop_of(const LevelKey& key, unsigned copies) {
  Loop loop{.pattern = pattern_for(key, copies, {})};
  loop.kernel = kernels::make_access_kernel(loop.pattern);
  loop.served = aimed_at(loop.pattern, key.level);
  return loop;
}

microbenchmark::Point point_of(const Loop& loop, double iterations,
                               std::optional<double> clock_hz) {
  microbenchmark::Point point{.of = {.kernel = loop.kernel},
                              .energy_j = uncertainty::Budget(100.0),
                              .idle_j = uncertainty::Budget(40.0),
                              .length = Seconds(1),
                              .iterations = iterations,
                              .clock_hz = clock_hz};
  return point;
}

TEST(Judgement, AFastestLoopWithoutAClockHasThatOfTheRowsOthers) {
  const LevelKey key{Level::l1, kernels::MemoryOperation::load, kernels::Data::random};
  Observations seen;
  seen.plan.rows = {{.key = key}};
  seen.plan.loops = {loop_of(key, 2), loop_of(key, 8)};
  seen.points = {{point_of(seen.plan.loops[0], 1e9, 1.755e9)},
                 {point_of(seen.plan.loops[1], 1e9, std::nullopt)}};
  seen.baselines.add({.idle_w = uncertainty::Budget(40.0)});
  fit_and_judge(seen, 0.05);
  const LevelRow& row = seen.plan.rows[0];
  EXPECT_DOUBLE_EQ(row.bytes_per_s.value_or(0), 32 * 8 * 0.5 * 1e9) << "the loop of eight";
  EXPECT_EQ(row.clock_hz, 1.755e9);
  seen.points[0][0].clock_hz.reset();
  fit_and_judge(seen, 0.05);
  EXPECT_FALSE(seen.plan.rows[0].clock_hz) << "no stretch saw one";
}

/// Loads of L2, of whose sectors DRAM serves one of fifty, and of DRAM, at these clocks.
Observations seen_with_clocks(double l2_hz, double dram_hz) {
  Observations seen;
  seen.baselines.add({.idle_w = uncertainty::Budget(40.0)});
  const auto see = [&seen](Loop loop, double hz) {
    seen.points.emplace_back();
    for (const double iterations : {1e9, 2e9, 3e9}) {
      microbenchmark::Point point = point_of(loop, iterations, hz);
      const double sectors = loop.pattern.without ? 0.0 : iterations;
      point.energy_j = uncertainty::Budget(60.0 + 2e-9 * iterations +
                                           1e-9 * sectors * loop.served[std::size_t{2}] +
                                           4e-9 * sectors * loop.served[std::size_t{3}]);
      point.limited = hz < kFullHz;
      seen.points.back().push_back(std::move(point));
    }
    seen.plan.loops.push_back(std::move(loop));
  };
  for (const Level level : {Level::l2, Level::dram}) {
    const LevelKey key{level, kernels::MemoryOperation::load, kernels::Data::random};
    const double hz = level == Level::l2 ? l2_hz : dram_hz;
    for (const unsigned copies : {2U, 8U}) {
      Loop loop = loop_of(key, copies);
      loop.row = seen.plan.rows.size();
      if (level == Level::l2) loop.served[std::size_t{3}] = 0.02 * total_of(loop.served);
      see(loop, hz);
      loop.row = kNoRow;
      loop.pattern.without = true;
      see(loop, kFullHz);
    }
    seen.plan.rows.push_back({.key = key});
  }
  microbenchmark::Point spin = point_of(seen.plan.loops[0], 1e9, kFullHz);
  spin.energy_j = uncertainty::Budget(60.0);
  seen.baselines.add_spin(spin);
  fit_and_judge(seen, 0.05);
  return seen;
}

// DRAM's energy of another clock was the price of what L2 left to it: 10 % high.
TEST(Judgement, SectorsServedAtALevelOfMixedClocksHaveNoPrice) {
  const Observations free = seen_with_clocks(kFullHz, kFullHz);
  EXPECT_TRUE(free.plan.rows[1].valid);
  EXPECT_TRUE(free.plan.rows[0].valid);
  const Observations limited = seen_with_clocks(kFullHz, 1.2e9);
  const LevelRow& near = limited.plan.rows[0];
  EXPECT_FALSE(near.valid);
  EXPECT_EQ(std::count(near.reasons.begin(), near.reasons.end(), Reason::unpaid_level), 1);
  EXPECT_EQ(near.shortfall, "2.0 % by dram");
}

}  // namespace
}  // namespace truewatt::memory
