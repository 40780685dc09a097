#include "truewatt/energy/estimate/step_trains.hpp"

#include <gtest/gtest.h>

#include <string>

namespace truewatt::energy {
namespace {

constexpr double kPeriod = 0.02;

HostTime at(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }

std::vector<Window> steps(int count, double length, double apart, const std::string& name) {
  std::vector<Window> windows;
  for (int i = 0; i < count; ++i) {
    const double begin = i * (length + apart);
    windows.push_back({at(begin), at(begin + length), name});
  }
  return windows;
}

TEST(StepTrains, StepsGoOnToTheNextOne) {
  const auto train = trains_of(steps(20, 0.038, 0.0001, "step"), at(0.0), kPeriod);
  ASSERT_EQ(train.size(), 20U);
  EXPECT_NEAR(train.front().end, 0.0381, 1e-9);
  EXPECT_NEAR(train.back().end - train.back().begin, 0.038, 1e-9);
}

TEST(StepTrains, NoneIsOfFewStepsOrOfSomeApartOrLong) {
  EXPECT_TRUE(trains_of(steps(19, 0.038, 0.0, "step"), at(0.0), kPeriod).empty());
  EXPECT_TRUE(trains_of(steps(50, 0.038, 0.02, "step"), at(0.0), kPeriod).empty());
  EXPECT_TRUE(trains_of(steps(50, 0.380, 0.0, "step"), at(0.0), kPeriod).empty());
  EXPECT_TRUE(trains_of(steps(50, 0.038, 0.0, ""), at(0.0), kPeriod).empty());
}

TEST(StepTrains, TheWindowAroundAllAndALongStepAreNone) {
  auto windows = steps(40, 0.038, 0.0, "step");
  windows[30].end += std::chrono::milliseconds(30);
  for (std::size_t i = 31; i < windows.size(); ++i) {
    windows[i].begin += std::chrono::milliseconds(30);
    windows[i].end += std::chrono::milliseconds(30);
  }
  windows.push_back({windows.front().begin, windows.back().end, "all"});
  EXPECT_EQ(trains_of(windows, at(0.0), kPeriod).size(), 39U);
}

TEST(StepTrains, OfTwoThatOverlapTheOneOfMoreStepsCounts) {
  auto windows = steps(30, 0.06, 0.0, "outer");
  for (const Window& inner : steps(90, 0.02, 0.0, "inner")) windows.push_back(inner);
  EXPECT_EQ(trains_of(windows, at(0.0), kPeriod).size(), 90U);
}

}  // namespace
}  // namespace truewatt::energy
