// How much is smoothed does not depend on how much is asked.

#include <gtest/gtest.h>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

std::vector<Window> windows_of(std::size_t count, double length) {
  std::vector<Window> windows;
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = 1.0 + (length - 3.0) * static_cast<double>(i) / static_cast<double>(count);
    windows.push_back({program_begin() + to_nanoseconds(Seconds(begin)),
                       program_begin() + to_nanoseconds(Seconds(begin + 0.5)), ""});
  }
  return windows;
}

// The course takes five passes, a source's vote two; windows take none.
TEST(Passes, AreTwelveAtMostHoweverManyWindows) {
  constexpr double kLength = 20.0;
  for (const char* kind : {"h200", "a100+counter", "a100+average"}) {
    SCOPED_TRACE(kind);
    std::mt19937_64 rng(3);
    const auto sensors = sensors_of(kind);
    const Recording recording = record(random_program(rng, kLength), sensors, rng);
    const Profile profile = profile_of(sensors);
    for (const std::size_t count : {1, 1000}) {
      const auto windows = windows_of(count, kLength);
      const EnergyEstimator estimator(recording, {.profile = &profile}, {}, windows);
      for (const Window& window : windows) EXPECT_TRUE(estimator.estimate(window).energy);
      EXPECT_EQ(estimator.passes(), 5 + 2 * 2);
    }
  }
}

}  // namespace
}  // namespace truewatt::energy
