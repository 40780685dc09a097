#include "truewatt/memory/table_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTable = R"({
  "schema": "truewatt.memory/1", "tool_version": "0.1.0",
  "device": {"name": "Board", "uuid": "GPU-1", "driver": "580.1"},
  "verified_by": "cupti",
  "caches": {"l1_bytes": 196608, "l2_bytes": null, "sector_bytes": 32, "line_bytes": 128},
  "static_w": {"value": 70, "lower": 69, "upper": 71},
  "levels": [
    {"level": "dram", "operation": "store", "data": "zeros", "valid": true, "reasons": ["imprecise"],
     "joules_per_sector": {"value": 2e-9, "lower": 1.9e-9, "upper": 2.1e-9},
     "increment_j_per_byte": {"value": 4e-11, "lower": 3e-11, "upper": 5e-11}},
    {"level": "l2", "operation": "load", "data": "random", "valid": true, "reasons": ["of_tomorrow"]},
    {"level": "l9", "operation": "load", "data": "random", "valid": true}
  ],
  "sweep": [{"level": "l1", "threads_per_block": 4, "division_j": null,
             "above_idle_j_per_sector": {"value": 1e-9, "lower": 1e-9, "upper": 1e-9}},
            {"level": "l1", "threads_per_block": 4096}]
})";

TEST(MemoryTable, IsReadBack) {
  const auto table = parse_table(kTable, "kept");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->device.driver, "580.1");
  EXPECT_EQ(table->caches.l1_bytes, 196608);
  EXPECT_FALSE(table->caches.l2_bytes);
  ASSERT_EQ(table->levels.size(), 1U) << "a row without a number is none";
  EXPECT_THAT(table->notes, ElementsAre(HasSubstr("2 of the file's `levels`"),
                                        HasSubstr("1 of the file's `sweep`")));
  const LevelRow& store = table->levels[0];
  EXPECT_EQ(store.key,
            (LevelKey{Level::dram, kernels::MemoryOperation::store, kernels::Data::zeros}));
  EXPECT_TRUE(store.valid);
  EXPECT_DOUBLE_EQ(store.sector_j->upper, 2.1e-9);
  EXPECT_DOUBLE_EQ(store.increment_j->value, 32 * 4e-11);
  EXPECT_THAT(store.reasons, ElementsAre(Reason::imprecise));
  ASSERT_EQ(table->sweep.size(), 1U);
  EXPECT_EQ(table->sweep[0].parallel, (Parallelism{4, 1.0}));
}

TEST(MemoryTable, SaysWhatIsWrong) {
  EXPECT_THAT(parse_table("[]", "x.json").error().message, HasSubstr("x.json is not JSON"));
  EXPECT_THAT(parse_table(R"({"schema": "truewatt.energy/1"})", "x.json").error().message,
              HasSubstr("truewatt memory --json"));
  EXPECT_THAT(
      parse_table(R"({"schema": "truewatt.memory/1", "levels": {}})", "x.json").error().message,
      HasSubstr("x.json has no `levels`"));
}

TEST(MemoryTable, ANumberBeyondAllQuantitiesIsNone) {
  const auto table = parse_table(R"({"schema": "truewatt.memory/1", "levels": [], "static_w":
      {"value": 1e300, "lower": 0, "upper": 1e308}, "caches": {"l1_bytes": 1024, "l2_bytes": 1e31,
      "l1_curve": [{"bytes": 1024, "s_per_sector": 1e300}, {"bytes": 1024, "s_per_sector": 1}]}})",
                                 "kept");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_FALSE(table->idle_w);
  EXPECT_FALSE(table->caches.l2_bytes);
  EXPECT_EQ(table->caches.l1_curve.size(), 1U);
  EXPECT_FALSE(table->start) << "nothing says when";
}

TEST(MemoryTable, ALineWithoutPointsIsNone) {
  const auto table = parse_table(R"({"schema": "truewatt.memory/1", "levels": [], "lines": [
      {"threads_per_block": 1, "joules_per_sector": 1e-10, "points": []},
      {"threads_per_block": 1, "joules_per_sector": 1e-10, "points": [{"sectors": 1}]},
      {"threads_per_block": 2, "joules_per_sector": 1e-10,
       "points": [{"sectors": 1, "joules": 2}]}]})",
                                 "kept");
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->lines.size(), 1U);
  EXPECT_EQ(table->lines[0].threads, 2U);
}

}  // namespace
}  // namespace truewatt::memory
