// What the CUPTI of this machine knows of chips, for which it needs no GPU; skipped where there is
// none. CUPTI refuses to run under sanitizers, so this stands apart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "truewatt/counters/cupti/cupti_library.hpp"
#include "truewatt/counters/cupti/cupti_search.hpp"
#include "truewatt/counters/cupti/host_profiler.hpp"

namespace truewatt::counters::cupti {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The CUPTI of this machine, whose knowledge of chips needs no GPU.
class CuptiOfThisMachine : public testing::Test {
 protected:
  void SetUp() override {
    auto library = Library::open(cupti_candidates(places_of_process(), std::nullopt));
    if (!library) GTEST_SKIP() << "no CUPTI here: " << library.error().message;
    library_ = *library;
  }

  std::shared_ptr<const Library> library_;
};

TEST_F(CuptiOfThisMachine, CanBeAskedForEveryMetricOfEveryChip) {
  for (const auto* chip :
       {"TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202", "GB20B"}) {
    const auto host = HostProfiler::create(library_, chip);
    ASSERT_TRUE(host) << host.error().message;
    const auto counters = (*host)->counters();
    ASSERT_TRUE(counters) << counters.error().message;
    const auto plan =
        plan_metrics([&](std::string_view metric) { return counters->contains(metric); });
    auto config = (*host)->configure(plan.metrics);
    ASSERT_TRUE(config) << chip << ": " << config.error().message;
    const auto passes = (*host)->passes(*config);
    ASSERT_TRUE(passes) << passes.error().message;
    std::printf("%s: %zu metrics in %zu passes\n", chip, plan.metrics.size(), *passes);
    EXPECT_GE(plan.metrics.size(), 23U) << chip;
    EXPECT_GE(*passes, 1U);
    EXPECT_LE(*passes, plan.metrics.size());
  }
}

TEST_F(CuptiOfThisMachine, RefusesAChipThatIsNone) {
  const auto host = HostProfiler::create(library_, "XX999");
  ASSERT_FALSE(host);
  EXPECT_THAT(host.error().message,
              AllOf(HasSubstr("chip XX999"), HasSubstr("cuptiProfilerHostInitialize")));
}

TEST_F(CuptiOfThisMachine, NamesAMetricThatAChipLacks) {
  const auto host = HostProfiler::create(library_, "GB202");
  ASSERT_TRUE(host);
  const auto config = (*host)->configure({"dram__sectors_read.sum"});
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message, HasSubstr("cuptiProfilerHostConfigAddMetrics"));
}

}  // namespace
}  // namespace truewatt::counters::cupti
