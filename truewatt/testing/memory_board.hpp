#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "truewatt/memory/memory.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::testing_support {

/// A simulated board whose energies per sector and caches are known, and tables of it.
class MemoryBoard : public ::testing::Test {
 protected:
  memory::Table measured(const std::string& more, const memory::Options& options) {
    return measured_as(board(more), options);
  }
  memory::Table measured_as(const std::string& toml, const memory::Options& options) {
    const auto path = folder_.path() / "board.toml";
    std::ofstream(path) << toml;
    auto set =
        devices::open_devices({.selectors = {"sim:" + path.string()}, .seed = options.seed}, {});
    EXPECT_TRUE(set) << set.error().message;
    auto table = memory::measure_memory(*set, {}, options);
    EXPECT_TRUE(table) << table.error().message;
    return table ? std::move(*table) : memory::Table{};
  }

  static std::string board(const std::string& more) {
    return "[power]\nsleep_w = 40\nidle_w = 80\nmax_w = 600\nnoise_w = 1\n"
           "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\n"
           "averaging_window_s = 0.1\n[[sensor]]\nsource = \"energy.counter\"\n"
           "update_period_s = 0.1\naveraging_window_s = 0.1\n"
           "[memory]\nshared = 60e-12\nl1 = 150e-12\nl2 = 900e-12\ndram = 3e-9\n"
           "[memory_store]\nl2 = 1.6e-9\ndram = 3.6e-9\n[memory_zeros]\ndram = 2e-9\n"
           "[caches]\nl1_bytes = 98304\nl2_bytes = 25165824\n" +
           more;
  }

  static memory::Options quick(bool counters = true) {
    return {.budget = Seconds(120), .sweep = false, .counters = counters};
  }

  TestFolder folder_;
};

/// Within its interval, or 2 % (a twentieth of intervals may miss).
inline void expect_near(const memory::LevelRow* row, double joules) {
  ASSERT_NE(row, nullptr);
  ASSERT_TRUE(row->sector_j);
  EXPECT_NEAR(row->sector_j->value, joules,
              std::max(1.5 * half_width_of(*row->sector_j), 0.02 * joules));
}

}  // namespace truewatt::testing_support
