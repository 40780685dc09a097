#include "truewatt/model/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace truewatt::catalogue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const SourceId kUsage{SourceKind::power_usage, Scope::gpu};
const SourceId kAverage{SourceKind::power_average, Scope::gpu};
const SourceId kInstant{SourceKind::power_instant, Scope::gpu};

std::string code_of(Family family, Era era, SourceId source) {
  for (const Entry& entry : entries(family)) {
    if (entry.era == era && entry.source == source) return std::string(entry.behaviour->code);
  }
  return "none";
}

/// A row of Fig. 14 in its own order of columns.
std::string row_of(Family family) {
  return code_of(family, Era::pre_530, kUsage) + code_of(family, Era::v530, kUsage) +
         code_of(family, Era::post_530, kUsage) + code_of(family, Era::post_530, kAverage) +
         code_of(family, Era::post_530, kInstant);
}

std::vector<std::string> codes_of(const std::vector<Entry>& found) {
  std::vector<std::string> codes;
  for (const Entry& entry : found) codes.emplace_back(entry.behaviour->code);
  return codes;
}

TEST(Catalogue, HasEveryRowOfFigure14) {
  const std::map<Family, std::string> rows = {
      {Family::hopper, "88331"},   {Family::ada, "32332"},       {Family::ampere, "32332"},
      {Family::ga100, "11181"},    {Family::turing, "22282"},    {Family::volta, "44484"},
      {Family::pascal, "44484"},   {Family::maxwell_2, "55585"}, {Family::maxwell_1, "55585"},
      {Family::kepler_2, "58888"}, {Family::kepler_1, "68888"},  {Family::fermi_2, "78888"},
      {Family::fermi_1, "88888"}};
  EXPECT_EQ(rows.size() + 1, families().size()) << "all but the GH200, which is in the text only";
  for (const auto& [family, codes] : rows) {
    EXPECT_EQ(row_of(family), codes) << name_of(family);
    EXPECT_EQ(entries(family).size(), 5U) << name_of(family);
  }
}

TEST(Catalogue, LegendSaysWhatTheCodesMean) {
  struct Line {
    const char* code;
    Response response;
    double update_s;
    double window_s;  // 0: not given
  };
  const std::vector<Line> lines = {
      {"1", Response::instant, 0.1, 0.025}, {"2", Response::instant, 0.1, 0.1},
      {"3", Response::ramp, 0.1, 1.0},      {"4", Response::instant, 0.02, 0.01},
      {"5", Response::logarithmic, 0.1, 0}, {"6", Response::logarithmic, 0.015, 0},
      {"7", Response::estimated, 0, 0},     {"8", Response::unsupported, 0, 0}};
  ASSERT_EQ(legend().size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Behaviour& behaviour = legend()[i];
    EXPECT_EQ(behaviour.code, lines[i].code);
    EXPECT_EQ(behaviour.response, lines[i].response);
    EXPECT_EQ(behaviour.update_period.value_or(Seconds(0)).count(), lines[i].update_s);
    EXPECT_EQ(behaviour.averaging_window.value_or(Seconds(0)).count(), lines[i].window_s);
  }
}

TEST(Catalogue, Gh200IsKnownFromTheTextOnly) {
  const std::vector<Entry> found = entries(Family::gh200);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].source, kInstant);
  EXPECT_EQ(found[0].behaviour->averaging_window, Seconds(0.02));
  EXPECT_EQ(found[1].source, (SourceId{SourceKind::power_instant, Scope::cpu}));
  EXPECT_EQ(found[1].behaviour->averaging_window, Seconds(0.01));
  for (const Entry& entry : found) {
    EXPECT_EQ(entry.behaviour->update_period, Seconds(0.1));
    EXPECT_EQ(entry.provenance, Provenance::text);
  }
  EXPECT_THAT(find_entries(Family::gh200, kUsage), IsEmpty());
}

TEST(Catalogue, DriversAreOldOrNewByTheirDay) {
  EXPECT_EQ(era_of("390.157"), Era::pre_530);
  EXPECT_EQ(era_of("510.108.03"), Era::pre_530);
  EXPECT_EQ(era_of("525.89.02"), Era::pre_530);
  EXPECT_EQ(era_of("525.105.17"), Era::post_530) << "released on the day of 530";
  EXPECT_EQ(era_of("525.116.04"), Era::post_530);
  EXPECT_EQ(era_of("530.30.02"), Era::v530);
  EXPECT_EQ(era_of("535.104.05"), Era::post_530);
  EXPECT_EQ(era_of("580.65.06"), Era::post_530);
  for (const char* version : {"470.57.02", "515.105.01", "450.80.02", "528.49", "simulated", "",
                              "535", "535.", "x.1", "-5.1", "535.1x", "99999999999.1"}) {
    EXPECT_EQ(era_of(version), std::nullopt) << version;
  }
}

TEST(Catalogue, WhatAnswersTellsTheAgeBeforeTheVersionDoes) {
  EXPECT_THAT(possible_eras({{kUsage, kInstant}, "510.47.03"}), ElementsAre(Era::post_530));
  EXPECT_THAT(possible_eras({{kUsage, kAverage}, ""}), ElementsAre(Era::post_530));
  EXPECT_THAT(possible_eras({{kUsage}, "535.104.05"}), ElementsAre(Era::post_530));
  EXPECT_THAT(possible_eras({{kUsage}, ""}), ElementsAre(Era::pre_530, Era::v530));
  EXPECT_THAT(possible_eras({{}, "530.41.03"}), ElementsAre(Era::v530));
  EXPECT_THAT(possible_eras({}), ElementsAre(Era::pre_530, Era::v530, Era::post_530));
  // An energy counter or another scope says nothing about the queries.
  EXPECT_THAT(possible_eras({{{SourceKind::energy_counter, Scope::gpu},
                              {SourceKind::power_average, Scope::memory}},
                             ""}),
              ElementsAre(Era::pre_530, Era::v530, Era::post_530));
}

TEST(Catalogue, FindsTheEntryOfAFamilyAnOptionAndADriver) {
  EXPECT_THAT(codes_of(find_entries(Family::ada, kUsage, {{}, "525.85.05"})), ElementsAre("3"));
  EXPECT_THAT(codes_of(find_entries(Family::ada, kUsage, {{}, "530.41.03"})), ElementsAre("2"));
  EXPECT_THAT(codes_of(find_entries(Family::ada, kUsage, {{}, "535.54.03"})), ElementsAre("3"));
  EXPECT_THAT(codes_of(find_entries(Family::ada, kUsage)), ElementsAre("3", "2", "3"));
  EXPECT_THAT(codes_of(find_entries(Family::hopper, kInstant, {{}, "580.65.06"})),
              ElementsAre("1"));
  EXPECT_THAT(codes_of(find_entries(Family::hopper, kInstant, {{}, "525.60.13"})), IsEmpty());
  EXPECT_THAT(find_entries(Family::hopper, {SourceKind::energy_counter, Scope::gpu}), IsEmpty());
  EXPECT_THAT(find_entries(Family::hopper, {SourceKind::power_average, Scope::memory}), IsEmpty());
}

TEST(Catalogue, FamiliesAreFoundByTheirNamesAndKeys) {
  EXPECT_THAT(families_named("GA100"), ElementsAre(Family::ga100));
  EXPECT_THAT(families_named("hopper"), ElementsAre(Family::hopper));
  EXPECT_THAT(families_named("Hopper GH100"), ElementsAre(Family::hopper));
  EXPECT_THAT(families_named("ADA"), ElementsAre(Family::ada));
  EXPECT_THAT(families_named("ampere"), ElementsAre(Family::ampere));
  EXPECT_THAT(families_named("maxwell1"), ElementsAre(Family::maxwell_1));
  EXPECT_THAT(families_named("Maxwell 1.0"), ElementsAre(Family::maxwell_1));
  EXPECT_THAT(families_named("kepler"), ElementsAre(Family::kepler_2, Family::kepler_1));
  for (const char* name : {"", "amp", "Blackwell", "GA102", "Kepler 3.0", "Maxwell 1"}) {
    EXPECT_THAT(families_named(name), IsEmpty()) << name;
  }
  for (const Family family : families()) {
    EXPECT_THAT(families_named(key_of(family)), ElementsAre(family));
    EXPECT_THAT(families_named(name_of(family)), ElementsAre(family));
  }
}

/// The findings of a family that speak against Fig. 14, by board.
std::map<std::string, Finding> contradictions(Family family) {
  std::map<std::string, Finding> found;
  for (const Finding& finding : findings(family)) {
    if (finding.contradicts && !finding.code.empty()) {
      found.emplace(std::string(finding.board) + " " + std::string(name_of(finding.provenance)),
                    finding);
    }
  }
  return found;
}

TEST(Catalogue, ContradictionsStandWithTheFamilyTheyConcern) {
  const Finding rtx8000 = contradictions(Family::turing).at("RTX 8000 spreadsheet");
  EXPECT_EQ(rtx8000.averaging_window->upper, Seconds(0.02)) << "Fig. 14 has 100 ms";
  EXPECT_EQ(rtx8000.code, "2");
  const Finding m40 = contradictions(Family::maxwell_2).at("M40 spreadsheet");
  EXPECT_EQ(m40.update_period->lower, Seconds(0.031));
  EXPECT_EQ(m40.averaging_window->lower, Seconds(0.014));
  EXPECT_EQ(m40.rise_time->upper, Seconds(0.056));
  const Finding a100 = contradictions(Family::ga100).at("A100-PCIE-40GB spreadsheet");
  EXPECT_DOUBLE_EQ(a100.averaging_window->lower.count(), 0.0176);
  EXPECT_DOUBLE_EQ(a100.averaging_window->upper.count(), 0.0192);
  EXPECT_TRUE(contradictions(Family::maxwell_1).count("K620 spreadsheet"));
  EXPECT_TRUE(contradictions(Family::ada).count("RTX 4090 spreadsheet"));
  EXPECT_TRUE(contradictions(Family::ampere).count("RTX A5000, one RTX 3090 spreadsheet"));
  const Finding k40 = contradictions(Family::kepler_1).at("K40m spreadsheet");
  EXPECT_THAT(std::string(k40.text), HasSubstr("535"));
}

TEST(Catalogue, RecordedTracesMakeTheWindowOf25MsAFilterOf13Ms) {
  for (const auto& [family, board] : {std::pair(Family::ga100, "A100-PCIE-40GB recorded"),
                                      std::pair(Family::hopper, "H200 recorded")}) {
    const Finding filter = contradictions(family).at(board);
    EXPECT_EQ(filter.code, "1");
    EXPECT_LE(filter.time_constant->lower, Seconds(0.013));
    EXPECT_GE(filter.time_constant->upper, Seconds(0.013));
  }
}

TEST(Catalogue, FindingsAreAboutEntriesThatThereAre) {
  for (const Family family : families()) {
    std::vector<std::string> codes = codes_of(entries(family));
    for (const Finding& finding : findings(family)) {
      EXPECT_FALSE(finding.text.empty());
      if (finding.code.empty()) continue;
      EXPECT_NE(std::find(codes.begin(), codes.end(), finding.code), codes.end())
          << name_of(family) << ": " << finding.text;
      for (const auto& range : {finding.update_period, finding.averaging_window, finding.rise_time,
                                finding.time_constant}) {
        EXPECT_TRUE(!range || range->lower <= range->upper) << finding.text;
      }
    }
  }
}

TEST(Catalogue, TableOneCountsMoreThan70Boards) {
  int boards = 0;
  std::map<Family, int> by_family;
  for (const TestedModel& tested : tested_models()) {
    boards += tested.count;
    by_family[tested.family] += tested.count;
  }
  EXPECT_EQ(boards, 72);
  EXPECT_EQ(tested_models().size(), 30U);
  EXPECT_EQ(by_family[Family::hopper], 10);
  EXPECT_EQ(by_family[Family::ga100], 10);
  EXPECT_EQ(by_family[Family::ampere], 18);
  EXPECT_EQ(by_family[Family::turing], 11);
  EXPECT_EQ(by_family[Family::volta], 5);
  EXPECT_EQ(by_family[Family::pascal], 8);
}

}  // namespace
}  // namespace truewatt::catalogue
