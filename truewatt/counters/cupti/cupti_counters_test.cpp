#include "truewatt/counters/cupti/cupti_counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "truewatt/testing/fake_cupti.hpp"

namespace truewatt::counters::cupti {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class CuptiCounting : public ::testing::Test {
 protected:
  CuptiCounting() {
    fake_.values = {{"dram__sectors_read.sum", 1000},
                    {"dram__sectors_write.sum", 500},
                    {"lts__t_sectors_srcunit_tex_op_read.sum", 4000},
                    {"smsp__inst_executed_pipe_fma.sum", 77}};
  }

  Result<std::unique_ptr<CuptiCounters>> open() {
    return CuptiCounters::open_with(fake_.opened(), FakeCupti::driver());
  }

  Result<Counts> count() {
    auto counters = open();
    if (!counters) return Unexpected(counters.error());
    return (*counters)->count([this]() -> Result<void> {
      fake_.launch();
      return {};
    });
  }

  Error failed(const char* call, int status) {
    fake_.failures[call] = status;
    const auto counts = count();
    EXPECT_FALSE(counts) << call;
    return counts ? Error{} : counts.error();
  }

  FakeCupti fake_;
};

TEST_F(CuptiCounting, GivesWhatTheHardwareCounted) {
  const auto counts = count();
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->dram_reads, 1000.0);
  EXPECT_EQ(counts->dram_writes, 500.0);
  EXPECT_EQ(counts->l2_reads, 4000.0);
  EXPECT_EQ(counts->l1_hits, std::nullopt);
  EXPECT_EQ(counts->pipe_instructions.at("fma"), 77.0);
  EXPECT_EQ(fake_.launches_in_range, 1U);
}

TEST_F(CuptiCounting, LaunchesOnceForEachPassWithinTheRange) {
  fake_.passes = fake_.passes_asked = 3;
  ASSERT_TRUE(count());
  EXPECT_EQ(fake_.launches_in_range, 3U);
  // Before each range, for work under way, and at its end.
  EXPECT_EQ(fake_.synchronizations, 6);
}

TEST_F(CuptiCounting, CallsInTheOrderThatCuptiWants) {
  auto counters = open();
  ASSERT_TRUE(counters);
  fake_.calls.clear();
  ASSERT_TRUE((*counters)->count([]() -> Result<void> { return {}; }));
  EXPECT_THAT(fake_.calls, ElementsAre("enable", "counter_data_size", "counter_data_initialize",
                                       "set_config", "start", "push", "pop", "stop", "decode",
                                       "counter_data_info", "host_evaluate", "disable"));
}

TEST_F(CuptiCounting, IsEnabledOnceForCountsInARow) {
  auto counters = open();
  ASSERT_TRUE(counters);
  fake_.calls.clear();
  {
    const InARow row(counters->get());
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE((*counters)->count([]() -> Result<void> { return {}; }));
    }
    EXPECT_THAT(fake_.calls, Not(Contains("disable")));
  }
  EXPECT_THAT(fake_.calls, Contains("enable").Times(1));
  EXPECT_THAT(fake_.calls, Contains("start").Times(3));
  EXPECT_EQ(fake_.calls.back(), "disable");
  ASSERT_TRUE((*counters)->count([]() -> Result<void> { return {}; }));
  EXPECT_EQ(fake_.calls.back(), "disable");
}

// A session that was used may refuse what a new one does not.
TEST_F(CuptiCounting, ARowThatIsRefusedBeginsAnew) {
  auto counters = open();
  ASSERT_TRUE(counters);
  const InARow row(counters->get());
  ASSERT_TRUE((*counters)->count([]() -> Result<void> { return {}; }));
  fake_.calls.clear();
  bool fails = true;
  const auto once = [&]() -> Result<void> {
    if (std::exchange(fails, false)) return Unexpected(Errc::device, "once");
    return {};
  };
  ASSERT_TRUE((*counters)->count(once));
  EXPECT_THAT(fake_.calls, Contains("enable").Times(1));
}

TEST_F(CuptiCounting, IsEnabledOnlyWhileItCounts) {
  auto counters = open();
  ASSERT_TRUE(counters);
  EXPECT_FALSE(fake_.is_enabled());
  for (int i = 0; i < 2; ++i) {
    const auto counted = (*counters)->count([this]() -> Result<void> {
      EXPECT_TRUE(fake_.is_enabled());
      return {};
    });
    EXPECT_TRUE(counted);
    EXPECT_FALSE(fake_.is_enabled());
  }
  counters->reset();
  EXPECT_EQ(fake_.hosts(), 0U);
}

TEST_F(CuptiCounting, ALaunchThatFailsEndsItAndLeavesNothingBehind) {
  auto counters = open();
  ASSERT_TRUE(counters);
  const auto counts = (*counters)->count(
      []() -> Result<void> { return Unexpected(Errc::device, "the kernel failed"); });
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().message, "the kernel failed");
  EXPECT_FALSE(fake_.is_in_range());
  EXPECT_FALSE(fake_.is_enabled());
  EXPECT_THAT(fake_.calls, Not(Contains("decode")));
}

TEST_F(CuptiCounting, ARefusalSaysWhatToSetWhereverItComes) {
  for (const auto* call : {"enable", "set_config", "start", "push", "decode"}) {
    fake_.failures.clear();
    const auto error = failed(call, 35);
    EXPECT_EQ(error.code, Errc::permission) << call;
    EXPECT_THAT(error.message, AllOf(HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"),
                                     HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
    EXPECT_FALSE(fake_.is_enabled()) << call;
  }
}

TEST_F(CuptiCounting, EveryFailureNamesItsCallAndStatus) {
  const std::pair<const char*, const char*> kCalls[] = {
      {"initialize", "cuptiProfilerInitialize"},
      {"device_supported", "cuptiProfilerDeviceSupported"},
      {"chip_name", "cuptiDeviceGetChipName"},
      {"host_initialize", "cuptiProfilerHostInitialize"},
      {"host_base_metrics", "cuptiProfilerHostGetBaseMetrics"},
      {"host_add_metrics", "cuptiProfilerHostConfigAddMetrics"},
      {"host_config_size", "cuptiProfilerHostGetConfigImageSize"},
      {"host_config", "cuptiProfilerHostGetConfigImage"},
      {"host_passes", "cuptiProfilerHostGetNumOfPasses"},
      {"enable", "cuptiRangeProfilerEnable"},
      {"counter_data_size", "cuptiRangeProfilerGetCounterDataSize"},
      {"counter_data_initialize", "cuptiRangeProfilerCounterDataImageInitialize"},
      {"set_config", "cuptiRangeProfilerSetConfig"},
      {"start", "cuptiRangeProfilerStart"},
      {"push", "cuptiRangeProfilerPushRange"},
      {"pop", "cuptiRangeProfilerPopRange"},
      {"stop", "cuptiRangeProfilerStop"},
      {"decode", "cuptiRangeProfilerDecodeData"},
      {"counter_data_info", "cuptiRangeProfilerGetCounterDataInfo"},
      {"host_evaluate", "cuptiProfilerHostEvaluateToGpuValues"},
  };
  for (const auto& [call, name] : kCalls) {
    fake_.failures.clear();
    EXPECT_THAT(failed(call, 26).message,
                AllOf(HasSubstr(name), HasSubstr("HARDWARE_BUSY (26)"), HasSubstr("DCGM")))
        << call;
    EXPECT_FALSE(fake_.is_enabled()) << call;
    EXPECT_EQ(fake_.hosts(), 0U) << call;
  }
}

TEST_F(CuptiCounting, WithoutTheDevicesImageItCountsWhatTheChipHas) {
  fake_.failures["availability"] = 35;
  EXPECT_TRUE(count());
}

TEST_F(CuptiCounting, EndsWhereCuptiAsksForMorePassesThanItAnnounced) {
  fake_.passes = 2;
  fake_.passes_asked = 1000;
  const auto counts = count();
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code, Errc::device);
  EXPECT_THAT(counts.error().message, HasSubstr("more than the 2 passes"));
  EXPECT_EQ(fake_.launches_in_range, 2U);
}

TEST_F(CuptiCounting, DroppedRangesAreNoCounts) {
  fake_.dropped = 1;
  const auto counts = count();
  ASSERT_FALSE(counts);
  EXPECT_THAT(counts.error().message, HasSubstr("dropped 1"));
}

TEST_F(CuptiCounting, WhatTheHardwareDidNotCountIsAbsent) {
  fake_.values["dram__sectors_read.sum"] = std::numeric_limits<double>::quiet_NaN();
  const auto counts = count();
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->dram_reads, std::nullopt);
  EXPECT_EQ(counts->dram_writes, 500.0);
}

TEST_F(CuptiCounting, AConfigurationWithoutCountersIsNamed) {
  fake_.support = Support::unsupported;
  fake_.virtual_gpu = Support::unsupported;
  const auto counts = count();
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code, Errc::unsupported);
  EXPECT_THAT(counts.error().message, HasSubstr("a virtual GPU: not supported"));
  fake_.support = fake_.virtual_gpu = Support::disabled;
  EXPECT_EQ(count().error().code, Errc::permission);
}

TEST_F(CuptiCounting, WithoutAContextThereIsNothingToCount) {
  fake_.has_context = false;
  const auto counts = count();
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code, Errc::unavailable);
  EXPECT_THAT(counts.error().message, HasSubstr("no CUDA context"));
}

TEST_F(CuptiCounting, AChipWithNoneOfTheCountersIsUnsupported) {
  fake_.values = {{"sm__cycles_active.sum", 1}};
  const auto counts = count();
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().code, Errc::unsupported);
  EXPECT_THAT(counts.error().message, HasSubstr("GH100"));
}

}  // namespace
}  // namespace truewatt::counters::cupti
