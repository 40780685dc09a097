#include "truewatt/counters/ncu/ncu_counters.hpp"

#include <gtest/gtest.h>

namespace truewatt::counters::ncu {
namespace {

LaunchCounts reads(double sectors) {
  LaunchCounts launch;
  launch.counts.dram_reads = sectors;
  return launch;
}

TEST(NcuCounters, GiveWhatWasCountedInTheOrderOfTheLaunches) {
  const auto counters = make_counted({reads(3.0), reads(5.0)});
  int launches = 0;
  const auto launch = [&]() -> Result<void> {
    ++launches;
    return {};
  };
  for (const double sectors : {3.0, 5.0}) {
    const auto counts = counters->count(launch);
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->dram_reads, sectors);
  }
  EXPECT_EQ(launches, 2);
  const auto none = counters->count(launch);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::insufficient_data);
  EXPECT_EQ(launches, 2) << "what is not counted is not launched";
}

TEST(NcuCounters, ALaunchThatFailsIsNotCounted) {
  const auto counters = make_counted({reads(3.0)});
  EXPECT_FALSE(counters->count([]() -> Result<void> { return Unexpected(Errc::device, "lost"); }));
  EXPECT_TRUE(counters->count([]() -> Result<void> { return {}; }));
}

TEST(NcuCounters, MarkNothingWithoutADriver) {
  bool launched = false;
  const auto counts = make_marks()->count([&]() -> Result<void> {
    launched = true;
    return {};
  });
  ASSERT_FALSE(counts) << "no CUDA driver is open here";
  EXPECT_EQ(counts.error().code, Errc::unavailable);
  EXPECT_FALSE(launched);
}

}  // namespace
}  // namespace truewatt::counters::ncu
