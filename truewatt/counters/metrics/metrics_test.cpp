#include "truewatt/counters/metrics/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace truewatt::counters {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

/// A chip of tests/data/counters/chips.txt.
struct Chip {
  std::string name;
  int sm = 0;
  std::set<std::string, std::less<>> metrics;

  HasMetric has() const {
    return [all = metrics](std::string_view metric) { return all.contains(metric); };
  }
};

std::vector<Chip> read_chips() {
  std::ifstream file(TRUEWATT_TEST_DATA "/counters/chips.txt");
  std::vector<Chip> chips;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("  ")) {
      chips.back().metrics.insert(line.substr(2));
      continue;
    }
    Chip chip;
    std::istringstream(line) >> chip.name >> chip.sm;
    chips.push_back(std::move(chip));
  }
  return chips;
}

Chip chip_named(std::string_view name) {
  for (const auto& chip : read_chips()) {
    if (chip.name == name) return chip;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(Metrics, EveryFieldIsCountedOnEveryDataCentreGpu) {
  for (const auto* name : {"GA100", "GH100", "GB100"}) {
    EXPECT_THAT(plan_metrics(chip_named(name).has()).missing_fields, IsEmpty()) << name;
  }
}

TEST(Metrics, WhatHasOnePartitionOfL2CountsAllButFarSectors) {
  for (const auto* name : {"GV100", "TU102", "GA102", "AD102", "GB202"}) {
    EXPECT_THAT(plan_metrics(chip_named(name).has()).missing_fields, ElementsAre(Field::l2_far))
        << name;
  }
}

TEST(Metrics, WhatSharesTheHostsMemoryCountsNoDram) {
  for (const auto* name : {"GA10B", "GB10B", "GB20B"}) {
    EXPECT_THAT(plan_metrics(chip_named(name).has()).missing_fields,
                ElementsAre(Field::l2_far, Field::dram_reads, Field::dram_writes))
        << name;
  }
}

TEST(Metrics, PipesThatAChipLacksAreNamed) {
  EXPECT_THAT(plan_metrics(chip_named("GA100").has()).missing_pipes,
              ElementsAre("fmaheavy", "fmalite", "tma"));
  EXPECT_THAT(plan_metrics(chip_named("AD102").has()).missing_pipes, ElementsAre("tma"));
  for (const auto* name : {"GH100", "GB100", "GB202"}) {
    EXPECT_THAT(plan_metrics(chip_named(name).has()).missing_pipes, IsEmpty()) << name;
  }
}

TEST(Metrics, NamesAreThoseOfTheChip) {
  const auto hopper = plan_metrics(chip_named("GH100").has()).metrics;
  const auto blackwell = plan_metrics(chip_named("GB202").has()).metrics;
  const auto ampere = plan_metrics(chip_named("GA100").has()).metrics;
  EXPECT_THAT(hopper, Contains("dram__sectors_read.sum"));
  EXPECT_THAT(blackwell, Contains("dram__sectors_op_read.sum"));
  EXPECT_THAT(blackwell, Not(Contains("dram__sectors_read.sum")));
  EXPECT_THAT(ampere, Contains("smsp__inst_executed_pipe_fp16.sum"));
  EXPECT_THAT(hopper, Contains("smsp__inst_executed_pipe_fma_type_fp16.sum"));
}

TEST(Metrics, EachIsAskedForOnceAndTheChipHasThemAll) {
  for (const auto& chip : read_chips()) {
    const auto metrics = plan_metrics(chip.has()).metrics;
    EXPECT_EQ(std::set(metrics.begin(), metrics.end()).size(), metrics.size()) << chip.name;
    for (const auto& metric : metrics) {
      ASSERT_TRUE(metric.ends_with(".sum")) << metric;
      EXPECT_TRUE(chip.metrics.contains(metric.substr(0, metric.size() - 4))) << metric;
    }
  }
}

TEST(Metrics, MemoryAndPipesAreAskedForApart) {
  const auto has = chip_named("GH100").has();
  const auto memory = plan_metrics(has, {.memory = true, .pipes = false});
  const auto pipes = plan_metrics(has, {.memory = false, .pipes = true});
  // 13 fields, of which local_sectors is a sum of two; 14 pipes.
  EXPECT_EQ(memory.metrics.size(), 14U);
  EXPECT_EQ(pipes.metrics.size(), 14U);
  EXPECT_EQ(plan_metrics(has).metrics.size(), 28U);
}

TEST(Metrics, WhatIsUsualForAComputeCapabilityIsWhatItsChipHas) {
  const auto chips = read_chips();
  ASSERT_EQ(chips.size(), 11U);
  for (const auto& chip : chips) {
    for (const auto& metric : candidate_metrics()) {
      EXPECT_EQ(usually_has(chip.sm, metric), chip.metrics.contains(metric))
          << chip.name << " " << metric;
    }
  }
}

TEST(Counts, AreTheValuesOfTheirMetrics) {
  const auto counts = counts_of({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 90},
                                 {"dram__sectors_read.sum", 7},
                                 {"smsp__inst_executed_pipe_alu.sum", 3},
                                 {"gpu__time_duration.sum", 12}});
  EXPECT_EQ(counts.l1_hits, 90.0);
  EXPECT_EQ(counts.dram_reads, 7.0);
  EXPECT_EQ(counts.l1_misses, std::nullopt);
  EXPECT_THAT(counts.pipe_instructions, UnorderedElementsAre(Pair("alu", 3.0)));
}

TEST(Counts, ASectorIs32Bytes) {
  EXPECT_EQ(counts_of({{"dram__bytes_write.sum", 3200}}).dram_writes, 100.0);
  EXPECT_EQ(counts_of({{"dram__bytes_op_read.sum", 64}}).dram_reads, 2.0);
}

TEST(Counts, OfTwoNamesOfOneThingTheFirstCounts) {
  const auto counts = counts_of(
      {{"lts__t_sectors_srcunit_tex_op_read.sum", 10}, {"lts__t_sectors_op_read.sum", 15}});
  EXPECT_EQ(counts.l2_reads, 10.0);
}

TEST(Counts, SpillsAreLoadsAndStoresTogetherOrNotKnown) {
  MetricValues values{{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 5}};
  EXPECT_EQ(counts_of(values).local_sectors, std::nullopt);
  values.emplace("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 2);
  EXPECT_EQ(counts_of(values).local_sectors, 7.0);
}

TEST(Counts, HalfPrecisionHasOneNameOnAllChips) {
  EXPECT_THAT(counts_of({{"smsp__inst_executed_pipe_fp16.sum", 4}}).pipe_instructions,
              ElementsAre(Pair("fp16", 4.0)));
  EXPECT_THAT(counts_of({{"smsp__inst_executed_pipe_fma_type_fp16.sum", 4}}).pipe_instructions,
              ElementsAre(Pair("fp16", 4.0)));
}

TEST(Counts, EveryFieldHasItsOwnNameAndNumber) {
  MetricValues values;
  double next = 1;
  for (const auto& metric : plan_metrics(chip_named("GH100").has()).metrics)
    values[metric] = next++;
  const auto counts = counts_of(values);
  std::set<std::string_view> names;
  std::set<double> numbers;
  for (int i = 0; i <= static_cast<int>(Field::last_); ++i) {
    names.insert(to_string(static_cast<Field>(i)));
    numbers.insert(value_of(counts, static_cast<Field>(i)).value_or(0));
  }
  EXPECT_EQ(names.size(), 13U);
  EXPECT_EQ(numbers.size(), 13U);
  EXPECT_FALSE(numbers.contains(0.0));
}

}  // namespace
}  // namespace truewatt::counters
