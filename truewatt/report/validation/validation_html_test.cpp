#include "truewatt/report/validation/validation_html.hpp"

#include <gtest/gtest.h>

#include "truewatt/report/validation/validation_words.hpp"

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

TEST(ValidationPage, BeginsWithWhatItFound) {
  validate::Validation validation{.workloads = {workload("fft", 0.002, true)}};
  EXPECT_TRUE(conclusion_sentence(validation).empty());
  validation.summaries = {
      {.name = "naive power.usage", .count = 1, .mean_absolute = 0.43},
      {.name = "naive power.samples", .count = 1, .mean_absolute = 0.02},
      {.name = "truewatt, one run", .count = 1, .mean_absolute = 0.0031, .largest = 0.008}};
  const std::string sentence =
      "From one run truewatt is off by 0.31 % on average over 1 workload, 0.8 % at most; holding "
      "the last "
      "reading of power.usage by 43 %.";
  EXPECT_EQ(conclusion_sentence(validation), sentence);
  EXPECT_NE(validation_html(validation, {}).find(sentence), std::string::npos);
}

}  // namespace
}  // namespace truewatt::report
