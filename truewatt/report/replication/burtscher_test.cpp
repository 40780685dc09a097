#include <gtest/gtest.h>

#include "truewatt/report/replication/burtscher_html.hpp"
#include "truewatt/report/replication/burtscher_words.hpp"
#include "truewatt/report/replication/protocol_text.hpp"

namespace truewatt::report {
namespace {

SourceProfile kepler() {
  SourceProfile source{.source = {SourceKind::power_usage, Scope::gpu}};
  source.time_constant_s = Interval{0.8401, 0.8390, 0.8412};
  source.reasons = {ProfileReason::not_in_the_protocol, ProfileReason::interval_is_standard_error};
  source.protocol_values = {{"update_median_s", 0.015}, {"idle_w", 25.0},    {"raw_j", 733.2},
                            {"t1_s", -0.001},           {"stairs_count", 4}, {"stair_s", 1.0}};
  return source;
}

SourceProfile averaging() {
  SourceProfile source{.source = {SourceKind::power_average, Scope::gpu}};
  source.reasons = {ProfileReason::rises_in_a_line, ProfileReason::interval_is_standard_error};
  source.protocol_values = {{"update_median_s", 0.1}};
  return source;
}

TEST(BurtscherTables, HoldThePublishedNumbersBesideACapacitor) {
  Profile profile;
  profile.sources = {kepler(), averaging()};
  const auto tables = burtscher_tables(profile);
  ASSERT_EQ(tables.size(), 3U);
  for (const ProtocolTable& table : tables) {
    ASSERT_EQ(table.names.size(), table.units.size());
    ASSERT_EQ(table.rows.size(), 3U);
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.names.size());
  }
  EXPECT_EQ(tables[0].rows[0][1], "840.1 ± 1.1");
  EXPECT_EQ(tables[0].rows[1][1], "-");
  EXPECT_EQ(tables[0].rows[2][1], "840");
  EXPECT_EQ(tables[1].rows[0][5], "4 × 1.00 s");
  EXPECT_EQ(tables[1].rows[0][6], "0.00");
  EXPECT_EQ(tables[2].rows[0][1], "733.2");
  profile.sources = {averaging(),
                     SourceProfile{.source = {SourceKind::energy_counter, Scope::gpu}}};
  EXPECT_EQ(burtscher_tables(profile)[0].rows.size(), 1U);
}

TEST(BurtscherText, ExplainsEveryReasonOnceWithItsSources) {
  Profile profile{.device = {.name = "a\x1b[31mboard"}};
  profile.sources = {kepler(), averaging()};
  const std::string text = burtscher_text(profile, {"a note"});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("(power.usage,\n     power.average)"), std::string::npos) << text;
  EXPECT_EQ(text.find("interval_is_standard_error"), text.rfind("interval_is_standard_error"));
  EXPECT_NE(text.find("note: a note"), std::string::npos);
}

TEST(BurtscherFigures, CorrectedPowerIsDrawnWhereThereIsOne) {
  replication::PowerProfileFigures drawn{.source = {SourceKind::power_usage, Scope::gpu}};
  EXPECT_TRUE(burtscher_figures(drawn).empty());
  drawn.readings = {{0.0, 25.0, 25.0}, {0.015, 27.0, 158.0}};
  drawn.intervals = {{0.015, 0.015}};
  drawn.phases = {0.0, 5.346, 8.846};
  const auto figures = burtscher_figures(drawn);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].data["series"].size(), 2U);
  EXPECT_EQ(figures[0].data["windows"].size(), 2U);
  EXPECT_EQ(figures[0].data["link"], figures[1].data["link"]);
  EXPECT_EQ(figures[1].data["series"][0]["v"], Json::array({15.0}));
  drawn.readings[1].corrected_w = 27.0;
  EXPECT_EQ(burtscher_figures(drawn)[0].data["series"].size(), 1U);
}

TEST(BurtscherPage, SaysWhatDidNotComeOut) {
  BurtscherPage page{.title = "a <board>"};
  page.profile.sources = {averaging()};
  page.figures = {{.source = {SourceKind::power_average, Scope::gpu},
                   .readings = {{0.0, 25.0, 25.0}, {0.1, 27.0, 27.0}}}};
  const std::string html = burtscher_html(page);
  EXPECT_NE(html.find("a &lt;board&gt;"), std::string::npos);
  EXPECT_NE(html.find("rises_in_a_line"), std::string::npos);
  EXPECT_NE(html.find("No capacitor was found."), std::string::npos);
}

}  // namespace
}  // namespace truewatt::report
