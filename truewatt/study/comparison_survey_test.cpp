// Two loads in turns on characterized devices whose true ratio is known: does the interval of the
// measured one hold it, and is a difference of 1 % found within a minute?

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "truewatt/study/characterized.hpp"
#include "truewatt/study/comparison.hpp"

namespace truewatt::study {
namespace {

constexpr std::array kComparedDevices = {"sim:v100", "sim:rtx3090", "sim:a100", "sim:h100",
                                         "sim:h200"};
constexpr std::array kDifferences = {0.0, 0.01, 0.03, 0.10};
constexpr int kSeedsCompared = 10;

/// Full work for a second, and the same for longer: for it and idle beside it, in the ratio of
/// gross energies.
load::Schedule load_of(double seconds) {
  return *load::parse_schedule(fmt::format("step:on={:.6f}s,level=0.8", seconds), 1);
}

TEST(ComparisonSurvey, IntervalsHoldTheTrueRatioAndFindAPercent) {
  std::map<std::string, Profile> profiles;
  for (const char* device : kComparedDevices) profiles[device] = characterized(device).profile;
  int held = 0;
  int all = 0;
  std::map<double, int> found;
  for (const double difference : kDifferences) {
    for (int seed = 1; seed <= kSeedsCompared; ++seed) {
      for (const char* device : kComparedDevices) {
        auto set = open_devices(
            {.selectors = {device}, .seed = static_cast<std::uint64_t>(1000 + seed)}, {});
        ASSERT_TRUE(set);
        set->devices.front().known.profile = profiles[device];
        const auto compared =
            compare_loads(*set, load_of(1.0), load_of(1.0 + difference), {}, {.target = 0.005});
        ASSERT_TRUE(compared) << compared.error().message;
        ASSERT_TRUE(compared->gross && compared->truth) << device;
        EXPECT_TRUE(compared->gross->gain_cancels);
        for (const energy::RatioTerm& term : compared->gross->budget) EXPECT_NE(term.term, "gain");
        const Interval& ratio = compared->gross->ratio;
        const bool holds = ratio.lower <= *compared->truth && *compared->truth <= ratio.upper;
        held += holds ? 1 : 0;
        ++all;
        found[difference] += compared->verdict == RatioVerdict::more ? 1 : 0;
        if (std::getenv("TRUEWATT_VERBOSE") != nullptr) {
          fmt::print("{} {} {}: {:.5f} [{:.5f}, {:.5f}] truth {:.5f} {} rounds\n", device,
                     difference, seed, ratio.value, ratio.lower, ratio.upper, *compared->truth,
                     compared->a.runs.size());
        }
      }
    }
  }
  const double share = held / static_cast<double>(all);
  fmt::print(
      "{:.1f} % of {} intervals hold the truth; found of 0, 1, 3, 10 %: {}, {}, {}, {} of {}\n",
      100 * share, all, found[0.0], found[0.01], found[0.03], found[0.10],
      kSeedsCompared * kComparedDevices.size());
  // Three standard deviations of so many at 95 %.
  EXPECT_NEAR(share, 0.95, 3 * std::sqrt(0.95 * 0.05 / all));
  constexpr int kPairs = kSeedsCompared * static_cast<int>(kComparedDevices.size());
  EXPECT_LE(found[0.0], kPairs / 20);
  for (const double difference : {0.01, 0.03, 0.10}) EXPECT_EQ(found[difference], kPairs);
}

}  // namespace
}  // namespace truewatt::study
