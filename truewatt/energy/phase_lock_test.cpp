#include "truewatt/energy/phase_lock.hpp"

#include <gtest/gtest.h>

#include "truewatt/energy/test_traces.hpp"

namespace truewatt::energy {
namespace {

const Window kWindow{at(2.0), at(6.0), "load"};

Recording bursts(int count, double period, double length) {
  Recording recording;
  for (int i = 0; i < count; ++i) {
    recording.activity.push_back({at(2.0 + i * period), at(2.0 + i * period + length), "1"});
  }
  return recording;
}

TEST(PhaseLock, IsExcludedByALoadWithoutBreaks) {
  EXPECT_TRUE(activity_excludes_lock(bursts(1, 4.0, 4.0), kWindow, 0.1));
  EXPECT_TRUE(activity_excludes_lock(bursts(400, 0.01, 0.01), kWindow, 0.1));
}

TEST(PhaseLock, IsNotExcludedByAFewPeriods) {
  EXPECT_FALSE(activity_excludes_lock(bursts(1, 4.0, 0.3), kWindow, 0.1));
}

TEST(PhaseLock, IsNotExcludedInStepWithTheSourceOrItsHarmonics) {
  EXPECT_FALSE(activity_excludes_lock(bursts(40, 0.1, 0.025), kWindow, 0.1));
  EXPECT_FALSE(activity_excludes_lock(bursts(80, 0.05, 0.025), kWindow, 0.1));
  EXPECT_FALSE(activity_excludes_lock(bursts(20, 0.2, 0.025), kWindow, 0.1));
  EXPECT_FALSE(activity_excludes_lock(bursts(40, 0.1005, 0.025), kWindow, 0.1));
}

TEST(PhaseLock, IsExcludedByBeginsOnAllPhases) {
  EXPECT_TRUE(activity_excludes_lock(bursts(35, 0.1131, 0.03), kWindow, 0.1));
}

TEST(PhaseLock, IsNotExcludedWhereNothingIsKnown) {
  EXPECT_FALSE(activity_excludes_lock({}, kWindow, 0.1));
  EXPECT_FALSE(activity_excludes_lock(bursts(3, 0.9, 0.3), kWindow, 0.1));
}

}  // namespace
}  // namespace truewatt::energy
