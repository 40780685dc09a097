#include "truewatt/energy/observe/counter_looks.hpp"

#include <gtest/gtest.h>

namespace truewatt::energy {
namespace {

ObservedSource counter() {
  ObservedSource source{.look = Look::counter, .looks = ObservedSource::Looks{0.02, 0.005}};
  source.readings = {{.time = 1.0, .is_first = true}, {.time = 1.1}, {.time = 1.3}, {.time = 41.3}};
  return source;
}

TEST(CounterLooks, AreAsManyAsFitBetweenReadings) {
  EXPECT_TRUE(looks_of(counter(), 0).empty());
  const auto looks = looks_of(counter(), 1);
  ASSERT_EQ(looks.size(), 5U);
  EXPECT_NEAR(looks.front().begin, 1.015, 1e-12);
  EXPECT_NEAR(looks.front().end, 1.02, 1e-12);
  EXPECT_NEAR(looks.back().end, 1.1, 1e-12);
  EXPECT_EQ(looks_of(counter(), 2).size(), 10U) << "a tick that nobody saw is in its count";
}

TEST(CounterLooks, OfALongStretchAreFewAndAsLongTogether) {
  const auto looks = looks_of(counter(), 3);
  ASSERT_EQ(looks.size(), 200U);
  double seen = 0.0;
  for (const TimeSpan& look : looks) seen += look.end - look.begin;
  EXPECT_NEAR(seen, 40.0 / 4, 1e-9);
  EXPECT_GE(looks.front().begin, 1.3);
}

TEST(CounterLooks, WhatLooksAllOfTheTimeHasNone) {
  ObservedSource source = counter();
  source.looks.reset();
  EXPECT_TRUE(looks_of(source, 1).empty());
  EXPECT_EQ(look_period(source), source.period);
  EXPECT_EQ(look_period(counter()), 0.02);
}

}  // namespace
}  // namespace truewatt::energy
