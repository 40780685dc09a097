// Hidden energies of random boards: how often intervals hold them, and how wide they are.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "truewatt/instructions/instructions.hpp"
#include "truewatt/instructions/judgement.hpp"
#include "truewatt/testing/instruction_device.hpp"
#include "truewatt/testing/profiles.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::instructions {
namespace {

const std::vector<std::string> kNames{"add.s32", "fma.rn.f32", "div.u32"};

unsigned boards() {
  const char* asked = std::getenv("TRUEWATT_SURVEY_BOARDS");
  return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 50;
}

/// How often intervals hold, and how wide they are.
struct Tally {
  int rows = 0, held = 0, near = 0, precise = 0, missing = 0;
  double squares = 0.0;  // of the errors over the half-widths

  void add(unsigned seed, const Row& row, const testing_support::InstructionDevice& device) {
    ++rows;
    const double truth = device.instruction_j.at(row.key.instruction);
    if (!row.valid || !row.above_spin_j) {
      ++missing;
      std::string why = row.detail;
      for (const Reason reason : row.reasons) why += " " + std::string(to_string(reason));
      fmt::print("board {} {}: no number, {}, spin {:.0f} W\n", seed, row.key.instruction, why,
                 device.spin_w);
      return;
    }
    const Interval& found = *row.above_spin_j;
    const bool holds = found.lower <= truth && truth <= found.upper;
    const bool is_near = std::abs(found.value / truth - 1) <= 0.03;
    const double half = half_width_of(found);
    const bool wide = half > std::max(0.03 * found.value, kTargetJoules);
    squares += std::pow((found.value - truth) / half, 2);
    held += holds ? 1 : 0;
    near += holds || is_near ? 1 : 0;
    precise += wide ? 0 : 1;
    if (!holds || wide) {
      fmt::print("board {} {}: {:.4g} +- {:.2g} pJ, hidden {:.4g}, spin {:.0f} W {:+.2f} %\n", seed,
                 row.key.instruction, 1e12 * found.value, 1e12 * half, 1e12 * truth, device.spin_w,
                 100 * (found.value / truth - 1));
    }
  }
  void check(double least_near) const {
    fmt::print(
        "{} rows: {} without a number, {:.1f} % held, {:.1f} % held or within 3 %, {:.1f} % to "
        "3 % or 0.2 pJ, errors {:.2f} of a half-width (root of the mean square)\n",
        rows, missing, 100.0 * held / rows, 100.0 * near / rows, 100.0 * precise / rows,
        std::sqrt(squares / rows));
    EXPECT_GE(held, 0.93 * rows);
    EXPECT_GE(near, least_near * rows);
    EXPECT_GE(precise, 0.95 * rows);
  }
};

void measure_on(const testing_support::InstructionDevice& device,
                const std::optional<Profile>& profile, unsigned seed, Tally& tally) {
  const testing_support::TestFolder folder;
  const auto path = folder.path() / fmt::format("{}.toml", seed);
  std::ofstream(path) << device.toml;
  auto set = devices::open_devices({.selectors = {"sim:" + path.string()}, .seed = seed}, {});
  ASSERT_TRUE(set) << set.error().message;
  set->devices.front().known.profile = profile;
  Options options{.budget = Seconds(240), .seed = seed};
  for (const auto& [name, joules] : device.instruction_j) options.selection.only.push_back(name);
  options.selection.optimizations = {kernels::Optimization::O3};
  const auto table = measure_instructions(*set, {}, options);
  ASSERT_TRUE(table) << table.error().message;
  for (const Row& row : table->rows) tally.add(seed, row, device);
}

TEST(InstructionSurvey, IntervalsHoldHiddenEnergiesOfRandomBoards) {
  Tally tally;
  for (unsigned seed = 1; seed <= boards(); ++seed) {
    measure_on(testing_support::random_instruction_device(kNames, seed), {}, seed, tally);
  }
  tally.check(0.99);
}

/// Readings then stray from their model at every edge.
TEST(InstructionSurvey, IntervalsHoldBesideAProfileOfAnotherFilter) {
  const Profile of_13_ms = testing_support::profile_of("sim:h200");
  Tally tally;
  for (unsigned seed = 1; seed <= boards(); ++seed) {
    const double filter_s = std::array{0.006, 0.02, 0.03}[seed % 3];
    const auto sensors = fmt::format(
        "[[sensor]]\nsource = \"power.samples\"\nupdate_period_s = 0.02\naveraging_window_s = 0\n"
        "time_constant_s = {}\nnoise_w = 0.3\n"
        "[[sensor]]\nsource = \"energy.counter\"\nupdate_period_s = 0.1\n"
        "averaging_window_s = 0.1\n",
        filter_s);
    measure_on(testing_support::random_instruction_device(kNames, seed, sensors), of_13_ms, seed,
               tally);
  }
  tally.check(0.98);
}

}  // namespace
}  // namespace truewatt::instructions
