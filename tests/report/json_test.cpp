#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/analysis/analysis_json.hpp"
#include "truewatt/report/energy/energy_json.hpp"
#include "truewatt/testing/golden.hpp"

namespace truewatt::report {
namespace {

using nlohmann::json;

TEST(EnergyJson, MatchesItsGoldenFiles) {
  expect_golden("energy.json", energy_json(sample_run()));
  expect_golden("energy_command.json", energy_json(sample_command_run()));
}

TEST(EnergyJson, OfANodeMatchesItsGoldenFile) {
  expect_golden("energy_node.json", energy_json(sample_node_run()));
}

TEST(EnergyJson, UnknownIsNullNeverZero) {
  const json device = json::parse(energy_json(sample_run()))["devices"][1];
  for (const char* key : {"energy_j", "net_energy_j", "mean_power_w", "baseline_w", "source",
                          "method", "observed_fraction", "truth_j", "needs_s"}) {
    EXPECT_TRUE(device[key].is_null()) << key;
  }
  EXPECT_EQ(device["reasons"], (json{"window_too_short", "no_readings_in_window"}));
}

TEST(EnergyJson, WhatIsNotFiniteIsNull) {
  measure::EnergyRun run = sample_run();
  run.devices[0].energy->interval.upper = std::numeric_limits<double>::infinity();
  run.devices[0].net_energy->interval.value = std::numeric_limits<double>::quiet_NaN();
  const json document = json::parse(energy_json(run));
  EXPECT_TRUE(document["devices"][0]["energy_j"]["upper"].is_null());
  EXPECT_TRUE(document["devices"][0]["energy_j"]["value"].is_number());
  EXPECT_TRUE(document["devices"][0]["net_energy_j"].is_null());
  EXPECT_TRUE(document["devices"][1]["naive_j"]["power.instant"].is_null());
}

TEST(EnergyJson, DoublesReadBackToTheSameBits) {
  measure::EnergyRun run = sample_run();
  const double joules = 0.1 + 0.2;  // prints as 0.3 with less than 17 digits
  run.devices[0].energy->interval.value = joules;
  run.devices[0].naive_j["power.usage"] = std::nextafter(1e7, 0.0);
  const json device = json::parse(energy_json(run))["devices"][0];
  EXPECT_EQ(device["energy_j"]["value"].get<double>(), joules);
  EXPECT_EQ(device["naive_j"]["power.usage"].get<double>(), std::nextafter(1e7, 0.0));
}

TEST(EnergyJson, CommandWithBytesThatAreNotUtf8IsStillJson) {
  measure::EnergyRun run = sample_command_run();
  run.command->argv.push_back("\xff\xfe.csv");
  const json document = json::parse(energy_json(run));
  EXPECT_EQ(document["command"]["argv"][2], kHostileName);
  EXPECT_EQ(document["command"]["argv"][3], "\xef\xbf\xbd\xef\xbf\xbd.csv");  // U+FFFD twice
  EXPECT_EQ(document["command"]["exit_code"], 3);
}

TEST(AnalysisJson, MatchesItsGoldenFile) {
  analyze::Analysis analysis = sample_analysis();
  analysis.sources[1].windows.resize(1);  // 45 of the same say no more
  expect_golden("analysis.json", analysis_json(analysis));
}

TEST(AnalysisJson, SourceThatWasNotFittedAndRecordingWithoutWindowsAreNull) {
  analyze::Analysis analysis = sample_analysis();
  analysis.combined.reset();
  const json document = json::parse(analysis_json(analysis));
  EXPECT_TRUE(document["sources"][1]["fit"].is_null());
  EXPECT_TRUE(document["sources"][0]["fit"]["time_constant_s"].is_null());
  EXPECT_TRUE(document["sources"][0]["windows"][1]["plateau"]["meter_w"].is_null());
  EXPECT_TRUE(document["combined"].is_null());
}

}  // namespace
}  // namespace truewatt::report
