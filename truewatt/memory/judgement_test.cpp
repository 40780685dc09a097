#include "truewatt/memory/judgement.hpp"

#include <gtest/gtest.h>

namespace truewatt::memory {
namespace {

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

}  // namespace
}  // namespace truewatt::memory
