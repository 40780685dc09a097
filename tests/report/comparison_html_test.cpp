#include "truewatt/report/comparison/comparison_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/comparison/comparison_words.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

measure::EnergyRun run_of(std::optional<double> joules) {
  measure::EnergyRun run;
  if (joules) run.total.energy = energy::EnergyInterval{interval95({*joules, 1.0}), 1.0, 0.0};
  return run;
}

/// Three rounds, of which the second has no energy of A; B takes 3 % more.
compare::EnergyComparison compared_runs() {
  compare::EnergyComparison comparison{.tool_version = "1"};
  comparison.a = {.what = kHostileName, .runs = {run_of(100), run_of({}), run_of(200)}};
  comparison.b = {.what = "other", .runs = {run_of(102), run_of(1), run_of(208)}};
  comparison.gross = energy::EnergyRatio{.ratio = {1.03, 1.02, 1.04, 0.95},
                                         .standard_uncertainty = 0.005,
                                         .budget = {{uncertainty::Cause::scatter, 0.005}},
                                         .gain_cancels = true,
                                         .pairs = 2};
  comparison.rounds = 2;
  comparison.truth = 1.025;
  comparison.verdict = compare::RatioVerdict::more;
  comparison.valid = true;
  comparison.notes = {"seen-once"};
  return comparison;
}

TEST(RatioWords, OfARatioThatNobodyKnowsSayNoPercentage) {
  EXPECT_EQ(ratio_words({.ratio = {1.03, 1.02, 1.0401, 0.95}}), "3.0 % ± 1.0 % more");
  EXPECT_EQ(ratio_words({.ratio = {1.31, 0.02, 9.0, 0.95}}), "0.02 to 9 times as much");
  EXPECT_EQ(ratio_words({.ratio = {1.31, 1e-9, 1e9, 0.95}}),
            "from nothing to over 1000 times as much");
}

TEST(RatioWords, OfManyTimesAsMuchAreTheTimes) {
  EXPECT_EQ(ratio_words({.ratio = {26.3, 21.2, 31.4, 0.95}}), "26 times (21 to 31) as much");
  EXPECT_EQ(ratio_words({.ratio = {324.0, 105.0, 543.0, 0.95}}), "324 times (105 to 543) as much");
  EXPECT_EQ(ratio_words({.ratio = {1.05, 1.04, 1.06, 0.95}}), "5.0 % ± 1.0 % more");
}

TEST(ComparisonFigures, AreTheRatioEveryRoundAndEveryRun) {
  const auto figures = comparison_figures(compared_runs());
  ASSERT_EQ(figures.size(), 3U);
  const Json& ratio = figures[0].data["rows"][0];
  EXPECT_NEAR(ratio["value"].get<double>(), 3.0, 1e-9);
  EXPECT_NEAR(ratio["lower"].get<double>(), 2.0, 1e-9);
  EXPECT_NEAR(ratio["upper"].get<double>(), 4.0, 1e-9);
  EXPECT_NEAR(ratio["published"].get<double>(), 2.5, 1e-9);
  const Json& rounds = figures[1].data["series"];
  EXPECT_EQ(rounds[0]["x"], Json({1, 3}));
  EXPECT_EQ(rounds[0]["y"], Json({2, 4}));
  ASSERT_EQ(rounds.size(), 4U) << "the ratio and the ends of its interval";
  EXPECT_EQ(rounds[1]["y"], Json({3, 3}));
  const Json& runs = figures[2].data["series"];
  EXPECT_EQ(runs[0]["x"], Json({1, 3}));
  EXPECT_EQ(runs[0]["y"], Json({100, 200}));
  EXPECT_EQ(runs[1]["y"], Json({102, 1, 208}));
}

TEST(ComparisonFigures, OfTwoRunFilesAreTheRatioAlone) {
  compare::EnergyComparison comparison = compared_runs();
  comparison.a.runs.resize(1);
  comparison.b.runs.resize(1);
  EXPECT_EQ(comparison_figures(comparison).size(), 1U);
  comparison.gross.reset();
  EXPECT_TRUE(comparison_figures(comparison).empty());
}

TEST(ComparisonHtml, SaysTheVerdictAndEscapesNames) {
  const std::string html = comparison_html(compared_runs(), {{"Device", kHostileName}});
  for (const char* text : {"B takes 3.0", "gain cancels", "scatter", "seen-once"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  EXPECT_THAT(html, HasSubstr(escape_html(kHostileName)));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
}

TEST(ComparisonHtml, WithoutAnEnergySaysSo) {
  compare::EnergyComparison comparison = compared_runs();
  comparison.gross.reset();
  comparison.reasons = {energy::Reason::gpu_lost};
  const std::string html = comparison_html(comparison, {});
  EXPECT_THAT(html, HasSubstr("No run of both has an energy."));
  EXPECT_THAT(html, HasSubstr("gpu_lost"));
}

}  // namespace
}  // namespace truewatt::report
