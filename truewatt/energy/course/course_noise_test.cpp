// What readings are off by, and where the power may jump, where nobody knows what ran.

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/energy/course/energy_course.hpp"

namespace truewatt::energy {
namespace {

// Rows that do not tell when within 0.1 s each mean came: short dips of long work keep their
// joules.
TEST(EnergyCourse, ReadingsAtStepsCountAsMuchAsThoseBetween) {
  constexpr double kCycle = 0.83;  // s
  constexpr double kAtWork = 0.7;  // s of it
  for (const double other_w : {150.0, 450.0}) {
    const auto until = [other_w](double t) {
      const double cycles = std::floor(t / kCycle);
      const double into = t - cycles * kCycle;
      return cycles * (300 * kAtWork + other_w * (kCycle - kAtWork)) + 300 * into +
             (other_w - 300) * std::max(0.0, into - kAtWork);
    };
    ObservedSource source{.source = {SourceKind::power_instant, Scope::gpu},
                          .look = Look::average,
                          .period = 0.1,
                          .window = 0.1,
                          .scatter = 0.5,
                          .is_characterized = true};
    for (int i = 1; i < 6000; ++i) {
      const double time = 0.1 * i;
      source.readings.push_back(
          {.time = time, .time_sd = 0.029, .value = (until(time) - until(time - 0.1)) / 0.1});
    }
    const EnergyCourse course({.lowest_w = 20.0, .limit_w = 500.0, .sources = {source}}, {});
    const CourseWindow window{20.0, 580.0};
    const double truth = until(window.end) - until(window.begin);
    EXPECT_NEAR(course.energy(window).joules, truth, 3e-4 * truth) << other_w;
  }
}

// A filter that spreads work over its memory shows no quiet: the lowest power read is work.
TEST(EnergyCourse, OfWorkWithoutIdleBehindASlowFilterPhasesAreOpen) {
  constexpr double kFilter = 0.4;  // s
  constexpr double kEvery = 0.02;  // s
  constexpr int kPhase = 13;       // readings
  ObservedSource source{.source = {SourceKind::power_instant, Scope::gpu},
                        .period = kEvery,
                        .time_constant = kFilter,
                        .scatter = 0.3,
                        .is_characterized = true};
  double shown = 310.0;
  for (int i = 1; i < 3000; ++i) {
    const double power = i / kPhase % 2 == 0 ? 400.0 : 220.0;
    shown = power + (shown - power) * std::exp(-kEvery / kFilter);
    source.readings.push_back({.time = kEvery * i, .time_sd = 1e-3, .value = shown});
  }
  const EnergyCourse course({.lowest_w = 290.0, .limit_w = 500.0, .sources = {source}}, {});
  int held = 0;
  constexpr int kPhases = 100;
  for (int i = 50; i < 50 + kPhases; ++i) {
    const CourseWindow window{kEvery * (kPhase * i - 1), kEvery * (kPhase * (i + 1) - 1)};
    const double truth = (i % 2 == 0 ? 400.0 : 220.0) * (window.end - window.begin);
    const CourseEnergy energy = course.energy(window);
    if (std::abs(energy.joules - truth) < 1.96 * energy.standard_uncertainty) ++held;
  }
  EXPECT_GE(held, 90);  // none was
}

}  // namespace
}  // namespace truewatt::energy
