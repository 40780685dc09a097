#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/analysis/analysis_text.hpp"
#include "truewatt/report/energy/energy_text.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/profile/profile_text.hpp"
#include "truewatt/testing/golden.hpp"

namespace truewatt::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(stream, field, ';');) fields.push_back(field);
  return fields;
}

TEST(EnergyText, MatchesItsGoldenFiles) {
  expect_golden("energy.txt", energy_text(sample_run()));
  expect_golden("energy_command.txt", energy_text(sample_command_run()));
  expect_golden("energy_verbose.txt",
                energy_text(sample_run(), {.colour = false, .verbose = true, .width = 100}));
}

TEST(EnergyText, OfANodeMatchesItsGoldenFile) {
  expect_golden("energy_node.txt", energy_text(sample_node_run()));
}

TEST(EnergyText, OfANodeThatIsUnknownSaysWhatIsMissing) {
  measure::EnergyRun run = sample_node_run();
  energy::NodeEnergy& node = *run.node;
  node.energy.reset();
  node.covers.clear();
  node.reasons = {energy::Reason::node_incomplete, energy::Reason::permission_denied};
  for (energy::NodeSource& source : node.sources) source.added = false;
  const std::string text = energy_text(run, {.width = 1000});
  EXPECT_THAT(text, HasSubstr("none                  whole node"));
  EXPECT_THAT(text, HasSubstr("node_incomplete: A part"));
  EXPECT_THAT(text, HasSubstr("chmod o+r"));
  EXPECT_THAT(text, Not(HasSubstr("not added"))) << "nothing is";
}

TEST(EnergyText, ColoursOnlyWhenAsked) {
  EXPECT_THAT(energy_text(sample_run()), Not(HasSubstr("\x1b")));
  EXPECT_THAT(energy_text(sample_run(), {.colour = true}), HasSubstr("\x1b[1m"));
}

TEST(EnergyText, ColoursDoNotMoveColumns) {
  std::string coloured = energy_text(sample_run(), {.colour = true});
  for (auto at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b')) {
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  }
  EXPECT_EQ(coloured, energy_text(sample_run()));
}

TEST(EnergyText, LinesStayWithinTheWidth) {
  for (const int width : {80, 100, 120}) {
    for (const std::string& line : lines_of(energy_text(sample_run(), {.width = width}))) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

TEST(EnergyText, EveryReasonIsExplained) {
  const measure::EnergyRun run = sample_command_run();
  const std::string brief = energy_text(run, {.width = 1000});
  const std::string text = energy_text(run, {.verbose = true, .width = 1000});
  for (const energy::Reason reason : run.devices[0].reasons) {
    EXPECT_THAT(text, HasSubstr(std::string(energy::explain(reason))));
    const bool is_scale = reason == energy::Reason::uncalibrated_gain;
    const bool is_width = reason == energy::Reason::uncertainty_above_target;
    if (!is_scale && !is_width) {
      EXPECT_THAT(brief, HasSubstr(std::string(energy::briefly(reason))));
    }
  }
}

TEST(EnergyText, IsEightLinesAtMostUnlessMoreIsAskedFor) {
  for (measure::EnergyRun run : {sample_command_run(), sample_run()}) {
    for (energy::EnergyEstimate& estimate : run.devices) estimate.readers.clear();
    EXPECT_LE(lines_of(energy_text(run)).size(), 8U);
  }
}

TEST(EnergyText, ShowsTheReadersThatWereAskedFor) {
  EXPECT_THAT(energy_text(sample_run()), HasSubstr("polls at 66.7 Hz"));
  EXPECT_THAT(analysis_text(sample_analysis()), HasSubstr("reading at the end"));
}

TEST(EnergyText, TellsPrecisionAndScaleApart) {
  const std::string text = energy_text(sample_command_run(), {.width = 1000});
  EXPECT_THAT(text, HasSubstr("on this sensor's scale; ± "));
  EXPECT_THAT(text, HasSubstr("against a wattmeter ("));
}

TEST(EnergyText, EscapeSequencesInACommandAreHarmless) {
  measure::EnergyRun run = sample_command_run();
  run.command->argv = {"evil\x1b]0;title\x07"};
  EXPECT_THAT(energy_text(run), Not(HasSubstr("\x1b")));
}

TEST(EnergyCsv, MatchesItsGoldenFile) { expect_golden("energy.csv", energy_csv(sample_run())); }

TEST(EnergyCsv, EveryLineHasAFieldForEveryColumn) {
  const std::vector<std::string> lines = lines_of(energy_csv(sample_run(), ";"));
  ASSERT_EQ(lines.size(), 4U);  // header, two devices, total
  EXPECT_EQ(lines[0][0], '#');
  const auto separators = std::count(lines[0].begin(), lines[0].end(), ';');
  for (const std::string& line : lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ';'), separators) << line;
  }
  EXPECT_EQ(fields_of(lines[1])[3], "576.4");
  EXPECT_EQ(fields_of(lines[2])[3], "");
  EXPECT_EQ(fields_of(lines[3])[0], "total");
}

TEST(EnergyCsv, OfANodeEndsWithTheHostsMetersAndTheNode) {
  const std::vector<std::string> lines = lines_of(energy_csv(sample_node_run(), ";"));
  ASSERT_EQ(lines.size(), 7U);  // header, device, total, three of the host, node
  const auto separators = std::count(lines[0].begin(), lines[0].end(), ';');
  for (const std::string& line : lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ';'), separators) << line;
  }
  EXPECT_EQ(fields_of(lines[2])[0], "total");
  EXPECT_EQ(fields_of(lines[3])[0], "host");
  EXPECT_EQ(fields_of(lines[4])[3], "31.25");
  EXPECT_EQ(fields_of(lines[5])[3], "");
  EXPECT_THAT(lines[5], HasSubstr("permission_denied"));
  EXPECT_EQ(fields_of(lines[6])[0], "node");
  EXPECT_EQ(fields_of(lines[6])[3], "1145.35");
  EXPECT_THAT(lines[6], HasSubstr("uncalibrated_host"));
}

TEST(EnergyCsv, FieldsWithTheSeparatorAreQuoted) {
  measure::EnergyRun run = sample_run();
  run.devices[0].device.name = "A \"big\", GPU";
  EXPECT_THAT(energy_csv(run), HasSubstr("\"A \"\"big\"\", GPU\""));
}

TEST(AnalysisText, MatchesItsGoldenFile) {
  expect_golden("analysis.txt", analysis_text(sample_analysis()));
}

TEST(AnalysisText, LongTablesAreCutUnlessVerbose) {
  analyze::Analysis analysis = sample_analysis();
  energy::WindowResult window{.label = "step", .begin_s = 1.0, .end_s = 2.0};
  window.estimate = sample_command_run().devices.front();
  analysis.windows.assign(25, window);
  analysis.combined->estimate.readers.clear();
  EXPECT_THAT(analysis_text(analysis), HasSubstr("and 5 more windows"));
  EXPECT_LE(lines_of(analysis_text(analysis)).size(), 28U);
  EXPECT_THAT(analysis_text(analysis, {.verbose = true}), Not(HasSubstr("more windows")));
}

TEST(AnalysisText, PlateauDifferenceIsSensorAgainstMeter) {
  analyze::Analysis analysis = sample_analysis();
  analysis.sources[0].windows[0].plateau = {Watts(202.0), Watts(200.0)};
  const std::vector<std::string> lines = lines_of(analysis_text(analysis, {.verbose = true}));
  const auto row = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("202.00") != std::string::npos;
  });
  ASSERT_NE(row, lines.end());
  EXPECT_THAT(*row, EndsWith("202.00   200.00    +1.00"));
}

TEST(ProfileText, ShowsWhatIsKnownAndWhy) {
  Profile profile;
  profile.device.name = "GPU\x1b[31m";
  profile.duration_s = 42.0;
  profile.recommended_source = SourceId{SourceKind::power_instant, Scope::gpu};
  SourceProfile known{.source = *profile.recommended_source,
                      .response = ResponseClass::instant,
                      .verdict = SourceVerdict::complete};
  known.update_period_s = Interval{0.1, 0.09999, 0.10001, 0.95};
  known.averaging_window_s = Interval{0.1, 0.0995, 0.1005, 0.95};
  known.time_constant_s = Interval{0.0, 0.0, 0.0012, 0.95};
  known.delay_s = Interval{0.0021, 0.0016, 0.0026, 0.95};
  SourceProfile refused{.source = {SourceKind::power_average, Scope::gpu},
                        .verdict = SourceVerdict::unusable};
  refused.reasons = {ProfileReason::permission_denied};
  profile.sources = {known, refused};
  const std::string text = profile_text(profile, {"saved"});
  EXPECT_THAT(text, HasSubstr("100.000 ± 0.010"));
  EXPECT_THAT(text, HasSubstr("100.00 ± 0.50"));
  EXPECT_THAT(text, HasSubstr("< 1.2"));
  EXPECT_THAT(text, HasSubstr("2.10 ± 0.50"));
  EXPECT_THAT(text, HasSubstr("recommended  power.instant"));
  EXPECT_THAT(text, HasSubstr("permission_denied: The driver"));
  EXPECT_THAT(text, HasSubstr("(power.average)"));
  EXPECT_THAT(text, HasSubstr("note: saved"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ProfileText, SaysWhenTheLagDependsOnTheLevel) {
  Profile profile;
  SourceProfile source{.source = {SourceKind::power_usage, Scope::gpu}};
  source.levels = {{0.5, {0.5, 0.49, 0.51, 0.95}, {0.0031, 0.0021, 0.0041, 0.95}},
                   {0.25, {0.25, 0.24, 0.26, 0.95}, {0.0012, 0.0002, 0.0022, 0.95}}};
  profile.sources = {source};
  const std::string text = profile_text(profile, {});
  EXPECT_THAT(text, HasSubstr("power.usage shows 50 % of the load 3.1 ± 1.0 ms later"));
  EXPECT_THAT(text, Not(HasSubstr("25 %")));
}

TEST(ProfileText, RecommendsNoSourceThatIsComputed) {
  Profile profile;
  SourceProfile computed{.source = {SourceKind::power_usage, Scope::gpu},
                         .response = ResponseClass::estimated,
                         .verdict = SourceVerdict::unusable,
                         .reasons = {ProfileReason::computed_not_measured}};
  profile.sources = {computed};
  const std::string text = profile_text(profile, {});
  EXPECT_THAT(text, HasSubstr("recommended  none: power.usage does not measure power"));
  EXPECT_THAT(text, HasSubstr("computed_not_measured: Its readings are computed"));
}

}  // namespace
}  // namespace truewatt::report
