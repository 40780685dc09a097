// Hidden energies and caches of random boards: how often intervals hold them, and how wide they
// are.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "truewatt/memory/memory.hpp"
#include "truewatt/testing/memory_device.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::memory {
namespace {

unsigned survey_boards() {
  const char* asked = std::getenv("TRUEWATT_SURVEY_BOARDS");
  return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 15;
}

struct Tally {
  int rows = 0, held = 0, near = 0, precise = 0, missing = 0;

  void add(const LevelRow& row, double truth, const std::string& where) {
    ++rows;
    if (!row.valid || !row.sector_j) {
      ++missing;
      fmt::print("{} has no number\n", where);
      return;
    }
    const Interval& found = *row.sector_j;
    const bool holds = found.lower <= truth && truth <= found.upper;
    const double off = found.value / truth - 1;
    const double half = half_width_of(found) / found.value;
    held += holds ? 1 : 0;
    near += holds || std::abs(off) <= 0.05 ? 1 : 0;
    precise += half <= 0.05 ? 1 : 0;
    if (!holds || half > 0.05) {
      fmt::print("{}: {:.4g} +- {:.2g} %, hidden {:.4g} pJ, {:+.2f} %\n", where, 1e12 * found.value,
                 100 * half, 1e12 * truth, 100 * off);
    }
  }
  void print(const std::string& what) const {
    fmt::print(
        "{}: {} rows, {} without a number, {:.1f} % held, {:.1f} % held or within 5 %, {:.1f} % to "
        "5 %\n",
        what, rows, missing, 100.0 * held / rows, 100.0 * near / rows, 100.0 * precise / rows);
  }
};

class MemorySurvey : public testing::TestWithParam<bool> {};

TEST_P(MemorySurvey, IntervalsHoldHiddenEnergiesOfRandomBoards) {
  const bool counters = GetParam();
  const testing_support::TestFolder folder;
  Tally all;
  int sizes = 0, right = 0;
  for (unsigned seed = 1; seed <= survey_boards(); ++seed) {
    const auto device = testing_support::random_memory_device(seed);
    const auto path = folder.path() / fmt::format("{}.toml", seed);
    std::ofstream(path) << device.toml;
    auto set = devices::open_devices({.selectors = {"sim:" + path.string()}, .seed = seed}, {});
    ASSERT_TRUE(set) << set.error().message;
    const auto table =
        measure_memory(*set, {}, {.sweep = false, .counters = counters, .seed = seed});
    ASSERT_TRUE(table) << table.error().message;
    const auto size = [&](const std::optional<double>& found, double truth, const char* name) {
      ++sizes;
      const bool good = found && std::abs(*found / truth - 1) <= 0.1;
      right += good ? 1 : 0;
      if (!good) fmt::print("board {}: {} {} of {}\n", seed, name, found.value_or(0), truth);
    };
    size(table->caches.l1_bytes, device.l1_bytes, "L1");
    size(table->caches.l2_bytes, device.l2_bytes, "L2");
    for (const LevelRow& row : table->levels) {
      const std::string level(to_string(row.key.level));
      const bool store = row.key.operation == kernels::MemoryOperation::store;
      const bool zeros = row.key.data == kernels::Data::zeros;
      const double load = device.load_j.at(level);
      double truth = store ? device.store_j.at(level) : load;
      if (zeros) truth *= device.zeros_j.at(level) / load;
      all.add(row, truth,
              fmt::format("board {} {} {}{}", seed, level, kernels::to_string(row.key.operation),
                          zeros ? " 0" : ""));
    }
  }
  all.print(counters ? "counted" : "by time");
  fmt::print("{} of {} cache sizes within 10 %\n", right, sizes);
  EXPECT_GE(all.held, 0.93 * all.rows);
  EXPECT_GE(all.near, 0.98 * all.rows);
  EXPECT_GE(right, 0.98 * sizes);
  if (counters) {
    EXPECT_GE(all.precise, 0.9 * all.rows);
  }
}

INSTANTIATE_TEST_SUITE_P(CountedAndByTime, MemorySurvey, testing::Bool());

}  // namespace
}  // namespace truewatt::memory
