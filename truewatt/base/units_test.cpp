#include "truewatt/base/units.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace truewatt {
namespace {

using namespace std::chrono_literals;

TEST(Units, PowerTimesDurationIsEnergy) {
  static_assert(250_W * 20ms == 5_J);
  static_assert(20ms * 250_W == 5_J);
  static_assert(5_J / 20ms == 250_W);
  static_assert((5_J / 250_W) == Seconds(0.02));
}

TEST(Units, DoNotMix) {
  static_assert(!std::is_convertible_v<Watts, Joules>);
  static_assert(!std::is_convertible_v<double, Watts>);
  static_assert(!std::is_convertible_v<Watts, double>);
  static_assert(!std::is_constructible_v<Joules, Watts>);
}

TEST(Units, RatiosArePureNumbers) {
  static_assert(std::is_same_v<decltype(1_W / 2_W), double>);
  EXPECT_DOUBLE_EQ(1_J / 4_J, 0.25);
}

}  // namespace
}  // namespace truewatt
