#include "truewatt/identification/artefacts/level_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/testing/random_work.hpp"

namespace truewatt::identification {
namespace {

constexpr double kLevelPeriod = 0.02;
constexpr double kLevelLength = 15.0;
constexpr double kLow = 0.5;  // what the load calls its lower level

/// A boxcar of 30 ms seeing full work and, at the end, three steps of a lower level: of `share` of
/// full work and `later` seconds late.
struct LevelExample {
  LevelExample(double share, double later, unsigned seed = 2) {
    std::mt19937 rng(seed);
    work = random_work(kLevelLength, 0.01, 0.1, rng);
    std::erase_if(work, [](const Work& one) { return one.end > kLevelLength - 4; });
    std::vector<Work> seen = work;
    for (double begin = kLevelLength - 3; begin < kLevelLength - 0.5; begin += 1.0) {
      work.push_back({begin, begin + 0.5, kLow});
      seen.push_back({begin + later, begin + later + 0.5, share});
    }
    for (int i = 25; kLevelPeriod * i < kLevelLength; ++i)
      readings.push_back({kLevelPeriod * i, 1e-5, 0.0});
    fit.parameters = {std::log(0.03), 0.003, 0.0, 0.0, 0.0};
    fit.idle_w = 60.0;
    fit.amplitude_w = 250.0;
    fit.noise_sd_w = 0.5;
    const auto values = readings_of(fit, readings, seen);
    std::normal_distribution<double> noise(0.0, fit.noise_sd_w);
    for (std::size_t k = 0; k < readings.size(); ++k) readings[k].value = values[k] + noise(rng);
  }
  std::vector<LevelFit> levels() const { return fit_levels({readings, work}, fit); }
  std::vector<Work> work;
  std::vector<ticks::Tick> readings;
  JointFit fit;
};

TEST(FitLevels, FindsAnAmplitudeThatIsNotTheLevel) {
  const auto levels = LevelExample(0.62, 0.0).levels();
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].height, kLow);
  EXPECT_LT(levels[0].share.standard_uncertainty, 1e-3);
  EXPECT_NEAR(levels[0].share.value, 0.62, 4 * levels[0].share.standard_uncertainty);
  EXPECT_NEAR(levels[0].later_s.value, 0.0, 4 * levels[0].later_s.standard_uncertainty);
}

TEST(FitLevels, FindsThatALevelComesLater) {
  const auto levels = LevelExample(0.5, 0.002).levels();
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_LT(levels[0].later_s.standard_uncertainty, 5e-4);
  EXPECT_NEAR(levels[0].later_s.value, 0.002, 4 * levels[0].later_s.standard_uncertainty);
}

// 95 % of 200 within three standard deviations of the count, 4.6 %.
TEST(FitLevels, KnowsHowWellItKnows) {
  int share = 0;
  int later = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const LevelFit level = LevelExample(0.5, 0.0, seed).levels().front();
    share += std::abs(level.share.value - 0.5) < 1.96 * level.share.standard_uncertainty ? 1 : 0;
    later += std::abs(level.later_s.value) < 1.96 * level.later_s.standard_uncertainty ? 1 : 0;
  }
  EXPECT_GE(share, 180);
  EXPECT_GE(later, 180);
}

// Where a level shows as good as nothing, nothing tells when.
TEST(FitLevels, ThatDoNotShowHaveNoTime) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    for (const LevelFit& level : LevelExample(1e-7, 0.0, seed).levels()) {
      EXPECT_LT(std::abs(level.later_s.value) + 1.96 * level.later_s.standard_uncertainty, 100.0);
    }
  }
}

TEST(FitLevels, OfFullWorkAloneAreNone) {
  LevelExample example(0.5, 0.0);
  std::erase_if(example.work, [](const Work& one) { return one.height != 1.0; });
  EXPECT_TRUE(example.levels().empty());
}

}  // namespace
}  // namespace truewatt::identification
