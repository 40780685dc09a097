#include "truewatt/report/energy/repetition_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Three trials, of which the second has no energy; the mean is 10 ± 0.4 J but for the gain.
measure::EnergyRun repeated_run() {
  measure::EnergyRun run{.tool_version = "1", .load = kHostileName};
  energy::EnergyEstimate mean{.device = {.name = "board"}, .window = Seconds(0.1)};
  mean.energy = energy::EnergyInterval{interval95({10.0, 0.5}), 0.5, 0.458};
  mean.truth = Joules(10.1);
  mean.budget = {{uncertainty::Cause::scatter, 0.2}, {uncertainty::Cause::gain, 0.458}};
  mean.valid = true;
  run.devices = {mean};
  run.repetition = measure::Repetition{.executions = 9, .trials = 3, .target = 0.01};
  run.repetition->of_devices = {{{.executions = 3, .joules = 9.9, .half_width_j = 0.3},
                                 {.executions = 3, .valid = false},
                                 {.executions = 3, .joules = 10.1}}};
  run.notes = {"seen-once"};
  return run;
}

TEST(RepetitionFigures, AreEveryTrialAndTheirMean) {
  const measure::EnergyRun run = repeated_run();
  const auto figures = repetition_figures(run.devices.front(), run.repetition->of_devices.front());
  ASSERT_EQ(figures.size(), 1U);
  const Json& series = figures[0].data["series"];
  EXPECT_EQ(series[0]["x"], Json({1, 3}));
  EXPECT_EQ(series[0]["y"], Json({9.9, 10.1}));
  EXPECT_EQ(series[1]["y"], Json({10, 10}));
  EXPECT_NEAR(series[2]["y"][0].get<double>(), 10 - 1.96 * 0.2, 2e-3) << "without the gain";
  EXPECT_EQ(series.back()["y"], Json({10.1, 10.1}));
}

TEST(RepetitionFigures, NeedTwoTrials) {
  const measure::EnergyRun run = repeated_run();
  EXPECT_TRUE(repetition_figures(run.devices.front(), {{.joules = 1.0}, {}}).empty());
}

TEST(RepetitionHtml, HoldsTrialsBudgetAndNotes) {
  const std::string html = repetition_html(repeated_run(), kHostileName, {{"Load", kHostileName}});
  for (const char* text : {"9 executions in 3 trials", "not reached", "scatter", "not&nbsp;whole",
                           "seen-once", "9.90"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  EXPECT_THAT(html, HasSubstr(escape_html(kHostileName)));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
}

}  // namespace
}  // namespace truewatt::report
