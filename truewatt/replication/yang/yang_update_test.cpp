#include "truewatt/replication/yang/yang_update.hpp"

#include <gtest/gtest.h>

namespace truewatt::replication::yang {
namespace {

HostTime at_ms(int milliseconds) { return HostTime(std::chrono::milliseconds(milliseconds)); }

/// A trace of changes that were seen at these milliseconds; the first is that of the first poll.
Trace seen_at(const std::vector<int>& times) {
  Trace trace;
  for (const int time : times)
    trace.samples.push_back({at_ms(time - 5), at_ms(time), {}, 1.0 * time});
  return trace;
}

TEST(YangUpdate, RunsGoFromChangeToChange) {
  EXPECT_EQ(run_lengths(seen_at({0, 30, 50, 70})), (std::vector<double>{0.020, 0.020}));
}

TEST(YangUpdate, TheFirstRunHasNoBegin) {
  EXPECT_TRUE(run_lengths(seen_at({0, 30})).empty());
  EXPECT_TRUE(run_lengths({}).empty());
}

TEST(YangUpdate, OnlyRunsInsideTheExperimentCount) {
  EXPECT_EQ(run_lengths(seen_at({0, 30, 50, 70, 90}), at_ms(40), at_ms(80)),
            std::vector<double>{0.020});
}

TEST(YangUpdate, AnEqualReadingDoublesItsRun) {
  EXPECT_EQ(run_lengths(seen_at({0, 20, 60, 80})), (std::vector<double>{0.040, 0.020}));
}

}  // namespace
}  // namespace truewatt::replication::yang
