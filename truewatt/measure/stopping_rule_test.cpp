#include "truewatt/measure/stopping_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::measure {
namespace {

using testing::HasSubstr;

/// So many trials of one device, none of which has an energy.
TrialsByDevice trials_without_energy(std::size_t count) {
  return {std::vector<energy::Trial>(count)};
}

TEST(StoppingRule, ATargetNeedsATrialWithinTheBudget) {
  const devices::DeviceSet set;
  RepeatOptions options{.target = 0.01, .budget = Seconds(20)};
  EXPECT_TRUE(StoppingRule(set, Seconds(20), options).check_reach({}));
  const auto refused = StoppingRule(set, Seconds(21), options).check_reach({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("give them --budget"));
  options.executions = 3;
  EXPECT_TRUE(StoppingRule(set, Seconds(21), options).check_reach({}))
      << "so many executions were asked for, however long they take";
}

TEST(StoppingRule, ExecutionsThatWereAskedForEndIt) {
  const devices::DeviceSet set;
  const RepeatOptions options{.executions = 3};
  StoppingRule rule(set, Seconds(1), options);
  EXPECT_FALSE(rule.is_enough(trials_without_energy(2), 2, Seconds(1000)));
  EXPECT_TRUE(rule.is_enough(trials_without_energy(3), 3, Seconds(3)));
  EXPECT_EQ(rule.never(), "");
}

TEST(StoppingRule, ALostGpuEndsIt) {
  const devices::DeviceSet set;
  const RepeatOptions options{.executions = 3};
  StoppingRule rule(set, Seconds(1), options);
  TrialsByDevice trials = trials_without_energy(1);
  energy::add_reason(trials[0][0].estimate, energy::Reason::gpu_lost);
  EXPECT_TRUE(rule.is_enough(trials, 1, Seconds(1)));
}

TEST(StoppingRule, TrialsWithoutEnergyEndATargetAndSayWhy) {
  const devices::DeviceSet set;
  const RepeatOptions options{.target = 0.01, .budget = Seconds(1000)};
  StoppingRule rule(set, Seconds(1), options);
  EXPECT_FALSE(rule.is_enough(trials_without_energy(0), 0, Seconds(0)));
  EXPECT_FALSE(rule.is_enough(trials_without_energy(1), 1, Seconds(1)));
  EXPECT_TRUE(rule.is_enough(trials_without_energy(kFewestTrials), kFewestTrials, Seconds(5)));
  EXPECT_THAT(rule.never(), HasSubstr("no energy"));
}

TEST(StoppingRule, TrialsThatTakeFarLongerThanTheBudgetAreGivenUp) {
  const devices::DeviceSet set;
  const RepeatOptions options{.target = 0.01, .budget = Seconds(10)};
  StoppingRule rule(set, Seconds(1), options);
  EXPECT_TRUE(rule.is_enough(trials_without_energy(1), 1, Seconds(9)));
  EXPECT_THAT(rule.never(), HasSubstr("more than twice the 10 s of --budget"));
}

}  // namespace
}  // namespace truewatt::measure
