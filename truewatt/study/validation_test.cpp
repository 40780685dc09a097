#include "truewatt/study/validation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::study {
namespace {

Validation validated(const std::string& device, std::vector<store::Workload> workloads,
                     bool practice = false) {
  auto set = open_devices({.selectors = {device}, .seed = 2}, {});
  EXPECT_TRUE(set);
  auto result = validate_workloads(*set, workloads, {}, {.practice = practice});
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : Validation{};
}

TEST(Validation, OneRunOfKnownWorkIsRightWhereTheReadingHeldIsNot) {
  const Validation result = validated("sim:h200", simulated_workloads());
  ASSERT_EQ(result.workloads.size(), 9U);
  EXPECT_TRUE(result.truth_known);
  for (const ValidatedWorkload& one : result.workloads) {
    ASSERT_FALSE(one.failure) << one.name << ": " << *one.failure;
    ASSERT_TRUE(one.one_run.error && one.one_run.half_width) << one.name;
    // The sensors of this device have a gain of 1: what is off lies within the interval.
    EXPECT_LE(std::abs(*one.one_run.error), *one.one_run.half_width + 1e-3) << one.name;
    EXPECT_GE(one.run, Seconds(1)) << one.name;
    EXPECT_LT(one.errors.at("naive power.usage"), -0.05) << one.name;
  }
  for (const ErrorSummary& summary : result.summaries) {
    EXPECT_LE(summary.mean_absolute, summary.rms + 1e-12) << summary.name;
    EXPECT_LE(summary.rms, summary.largest + 1e-12) << summary.name;
  }
}

TEST(Validation, GoodPracticeOfThePaperAndOursShowTheGain) {
  const Validation result = validated("sim:rtx3090", {{.name = "quasirandom"}}, true);
  ASSERT_EQ(result.workloads.size(), 1U);
  const ValidatedWorkload& one = result.workloads.front();
  ASSERT_FALSE(one.failure);
  ASSERT_TRUE(one.practice.error);
  EXPECT_NEAR(*one.practice.error, -0.049, 0.002);
  EXPECT_NEAR(one.errors.at("yang"), -0.049, 0.005);
}

TEST(Validation, AWorkloadThatFailsLeavesTheOthers) {
  const Validation result = validated("sim:h200", {{.name = "linpack"}, {.name = "fft"}});
  ASSERT_EQ(result.workloads.size(), 2U);
  EXPECT_TRUE(result.workloads.front().failure);
  EXPECT_FALSE(result.workloads.back().failure);
}

TEST(Validation, TakesOneDevice) {
  auto set = open_devices({.selectors = {"sim:h100", "sim:h200"}}, {});
  ASSERT_TRUE(set);
  EXPECT_FALSE(validate_workloads(*set, simulated_workloads(), {}, {}));
}

}  // namespace
}  // namespace truewatt::study
