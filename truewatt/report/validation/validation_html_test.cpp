#include "truewatt/report/validation/validation_html.hpp"

#include <gtest/gtest.h>

namespace truewatt::report {
namespace {

validate::ValidatedWorkload workload(const char* name, double error, bool resolved) {
  validate::ValidatedWorkload one{.name = name, .title = name, .paper = "000"};
  one.one_run = {.error = error, .half_width = 0.004, .resolved = resolved, .valid = true};
  return one;
}

TEST(ValidationFigures, ErrorsHaveASignAndDoubtIsMarked) {
  const validate::Validation validation{
      .workloads = {workload("fft", 0.002, true), workload("bert", 0.1, false)}};
  const auto figures = validation_figures(validation);
  ASSERT_EQ(figures.size(), 1U) << "of one run alone";
  const auto& data = figures.front().data;
  EXPECT_TRUE(data.at("signed").get<bool>()) << "all are above 0, and 50 times apart";
  ASSERT_EQ(data.at("rows").size(), 2U);
  EXPECT_FALSE(data["rows"][0].at("doubt").get<bool>());
  EXPECT_TRUE(data["rows"][1].at("doubt").get<bool>());
  EXPECT_NEAR(data["rows"][0].at("lower").get<double>(), -0.2, 1e-12);
  EXPECT_EQ(data["rows"][0].at("text").get<std::string>(), "+0.20 % ± 0.4 %");
}

}  // namespace
}  // namespace truewatt::report
