#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "truewatt/idle/ladder.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::idle {
namespace {

struct Tally {
  int held = 0;
  int all = 0;

  void add(const std::optional<Interval>& interval, double truth) {
    if (!interval) return;
    ++all;
    held += interval->lower <= truth && truth <= interval->upper ? 1 : 0;
  }
};

/// Boards with hidden rungs, whose sensors have no error of scale. Four multiprocessors: what the
/// loops' own instructions cost is below 0.01 W.
TEST(IdleLadderSurvey, IntervalsHoldTheTruthNinetyFiveTimesInAHundred) {
  constexpr int kBoards = 150;
  const testing_support::TestFolder folder;
  Tally power;
  Tally above;
  for (int seed = 1; seed <= kBoards; ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const auto between = [&](double least, double most) {
      return std::uniform_real_distribution(least, most)(chance);
    };
    const double sleep = between(15, 110);
    const double idle = sleep + between(5, 60);
    const double spin = between(5, 90);
    const auto path = folder.path() / fmt::format("board{}.toml", seed);
    std::ofstream(path) << fmt::format(
        "[power]\nsleep_w = {}\nidle_w = {}\nmax_w = 500\nnoise_w = {}\n"
        "drift_w = {}\ndrift_time_constant_s = 30\n"
        "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\naveraging_window_s = {}\n"
        "noise_w = {}\n[[sensor]]\nsource = \"energy.counter\"\nupdate_period_s = 0.1\n"
        "averaging_window_s = 0.1\n[machine]\nsms = 4\nspin_w = {}\n",
        sleep, idle, between(0.3, 2), between(0, 0.2), between(0.025, 0.1), between(0, 1), spin);
    auto set = devices::open_devices(
        {.selectors = {"sim:" + path.string()}, .seed = static_cast<std::uint64_t>(seed)}, {});
    ASSERT_TRUE(set) << set.error().message;
    const auto ladder = climb(*set, {}, {.budget = Seconds(seed % 2 == 0 ? 30 : 60)});
    ASSERT_TRUE(ladder) << ladder.error().message;
    for (const Row& row : ladder->rows) {
      const double work = row.rung == Rung::resident || row.rung == Rung::spinning ? spin : 0.0;
      power.add(row.power_w, row.rung == Rung::bare ? sleep : idle + work);
      if (work > 0) above.add(row.above_context_w, spin);
    }
  }
  std::printf("power %d of %d, above a context %d of %d\n", power.held, power.all, above.held,
              above.all);
  EXPECT_EQ(power.all, 5 * kBoards);
  // 95 % of 750 and of 300, less three standard deviations of such counts.
  EXPECT_GE(power.held, 694);
  EXPECT_GE(above.held, 273);
}

}  // namespace
}  // namespace truewatt::idle
