#include "truewatt/report/energy/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/energy/chart_json.hpp"
#include "truewatt/report/energy/estimate_figures.hpp"
#include "truewatt/report/energy/html_section.hpp"
#include "truewatt/report/energy/section_curves.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/testing/golden.hpp"
#include "truewatt/testing/page_markup.hpp"

namespace truewatt::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

std::string chart_json_of(const Section& section) {
  return chart_json(section, chart_series(section, 4000), estimate_figures(section));
}

TEST(HtmlText, EscapesWhatHtmlWouldRead) {
  EXPECT_EQ(escape_html("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(script_safe("\"</script>&\""), "\"\\u003c/script\\u003e\\u0026\"");
}

TEST(HtmlText, SentencesKeepTheirCodeAndTheirPercentSigns) {
  EXPECT_EQ(prose_html("run `a < b` for 5 % more"), "run <code>a &lt; b</code> for 5&nbsp;% more");
  EXPECT_EQ(prose_html("one ` only"), "one <code> only</code>");
}

TEST(HtmlText, TemplateValuesAreNotSearchedAgain) {
  EXPECT_EQ(fill_template("{{a}}-{{b}}-{{c}}", {{"a", "{{b}}"}, {"b", "2"}}), "{{b}}-2-{{c}}");
  EXPECT_EQ(fill_template("{{a", {{"a", "1"}}), "{{a");
}

TEST(HtmlText, TableHasHeadersForScreenReaders) {
  const std::string html = to_html({"T", {"Quantity", "one"}, {{"Energy", "3 < 4"}}});
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">one</th>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">Energy</th><td>3&nbsp;&lt;&nbsp;4</td>"));
  EXPECT_EQ(to_html({"T", {"Quantity"}, {}}), "");
}

TEST(Html, SectionMatchesItsGoldenFile) {
  Section section = sample_page().sections[1];
  section.curves.clear();
  section.recording.traces[0].samples.resize(8);
  section.recording.traces[0].gaps.clear();
  expect_golden("section.html", section_html(section, {1, 4000, 0.0255}));
}

TEST(Html, AsksTheNetworkForNothing) {
  const std::string html = render_html(sample_page());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("sourceMappingURL")));
  const std::string markup = markup_of(html);
  EXPECT_EQ(count_of(markup, "src="), count_of(markup, "img src="));  // only inside escaped names
  EXPECT_EQ(count_of(markup, "<link"), 1U);
  EXPECT_THAT(markup, HasSubstr("<link rel=\"icon\" href=\"data:,\">"));
}

TEST(Html, NamesFromOutsideStayText) {
  const std::string html = render_html(sample_page());
  EXPECT_EQ(count_of(html, "<img"), 0U);
  EXPECT_EQ(count_of(html, "</script>"), 3U + 3U);  // head, libraries, page; data of three sections
  EXPECT_THAT(html, HasSubstr(escape_html(kHostileName)));
}

TEST(Html, EveryReasonAndEveryNumberStandsInTheTablesToo) {
  const std::string markup = markup_of(render_html(sample_page()));
  for (const char* text :
       {"576 J", "± 19 J", "power.instant", "488.20 J", "(-15.2&nbsp;%)", "701.60 J", "smoothing",
        "gain", "9.41&nbsp;J", "<code>window_too_short</code>", "21.4 s",
        "power.instant did not answer for 600 ms", "All numbers"}) {
    EXPECT_THAT(markup, HasSubstr(text));
  }
  const Page page = sample_page();
  for (const energy::Reason reason : page.sections[1].estimates[2].reasons) {
    EXPECT_THAT(markup, HasSubstr(prose_html(energy::explain(reason))));
  }
}

TEST(Html, AMetersEnergyHasATileABarAndAPlaceInTheResult) {
  Page page = sample_page();
  Section& section = page.sections[1];
  section.estimates.resize(1);
  const Interval energy = section.estimates[0].energy->interval;
  section.metered = Joules(energy.value / 0.95);
  section.estimates[0].reasons = {energy::Reason::uncalibrated_gain};
  const std::string html = render_html(page);
  EXPECT_THAT(html, HasSubstr("By the meter"));
  EXPECT_THAT(html, HasSubstr("(estimate -5.0"));
  EXPECT_THAT(html, HasSubstr("the estimate is -5.0"));
  EXPECT_THAT(html, HasSubstr("truewatt calibrate with this meter"));
  const json chart = json::parse(chart_json_of(section));
  const json bar = chart["estimates"][0]["bars"].back();
  EXPECT_EQ(bar["name"], "meter");
  EXPECT_EQ(bar["role"], "meter");
}

TEST(Html, LongRecordingIsDecimatedAndSaysSo) {
  const std::string html = render_html(sample_page());
  EXPECT_LT(html.size(), 3'000'000U);
  EXPECT_THAT(html, HasSubstr("power.usage (300000 readings)"));
}

TEST(Html, ManySectionsStillMakeASmallFile) {
  Page page = sample_page();
  Section section = page.sections[2];
  section.recording.traces[0].samples.resize(10'000);
  for (int k = 0; k < 40; ++k) page.sections.push_back(section);
  EXPECT_LT(render_html(page).size(), 3'500'000U);
}

TEST(Html, PageIsAPureFunction) {
  EXPECT_EQ(render_html(sample_page()), render_html(sample_page()));
}

TEST(Html, EmptyPageAndEmptySectionAreStillPages) {
  EXPECT_THAT(render_html(Page{}), HasSubstr("<html lang=\"en\">"));
  Page page;
  page.sections.emplace_back();
  EXPECT_THAT(render_html(page), HasSubstr("No readings to draw."));
  Trace one_tick{{SourceKind::energy_counter, Scope::gpu}, {}, {}, {{{}, {}, {}, 5.0}}, {}, 1};
  page.sections[0].recording.traces = {one_tick};  // no difference, no power
  EXPECT_THAT(render_html(page), HasSubstr("No readings to draw."));
}

TEST(ChartJson, CarriesBarsWithWhiskersAndTheBudget) {
  const json data = json::parse(chart_json_of(sample_page().sections[0]));
  EXPECT_EQ(data["series"].size(), 5U);
  EXPECT_EQ(data["series"][0]["t"].size(), data["series"][0]["v"].size());
  const json& bars = data["estimates"][0]["bars"];
  ASSERT_EQ(bars.size(), 9U);  // four naive, three readers, estimate, truth
  EXPECT_EQ(bars[4]["name"], "sma");
  EXPECT_EQ(bars[6]["text"], "401.50 J over 1.600 s, -16.4 %");
  EXPECT_EQ(bars[7]["role"], "estimate");
  EXPECT_LT(bars[7]["lower"].get<double>(), 576.4);
  EXPECT_EQ(bars[8]["value"], 576.0);
  EXPECT_EQ(data["estimates"][0]["budget"][0]["name"], "gain (type B)");
  EXPECT_EQ(data["windows"][0]["label"], "load");
}

TEST(ChartJson, CarriesThePowerBehindTheReadingsAndThePhases) {
  const Section section = sample_page().sections[1];
  const json data = json::parse(chart_json_of(section));
  ASSERT_EQ(data["figures"].size(), 2U);  // of the estimate that is a joint one, and the phases
  const json& series = data["figures"][0]["series"];
  std::vector<std::string> names;
  for (const json& one : series) names.push_back(one["name"]);
  EXPECT_THAT(names, testing::ElementsAre("power.instant, as read", "true power", "meter",
                                          "power.instant, corrected by its slope", "estimate"));
  const json& estimate = series.back();
  ASSERT_EQ(estimate["half"].size(), estimate["t"].size());
  EXPECT_NEAR(estimate["half"][0].get<double>(), kCoverageFactor95 * 12.0, 0.01);
  // Times are the section's, which began a second before the first window.
  EXPECT_NEAR(estimate["t"][0].get<double>(), 1.0 - 0.4, 1e-9);
  EXPECT_GE(series[0]["t"][0].get<double>(), 1.0 - 0.4);
  const json& phases = data["figures"][1]["series"];
  EXPECT_EQ(phases[0]["y"][12].get<double>(), 100.0);
  EXPECT_EQ(phases[1]["y"][12].get<double>(), 100.0);  // of the most that a reading looks
  EXPECT_THAT(section_html(section, {}), testing::HasSubstr("the readings saw it 60.0&nbsp;%"));
}

TEST(ChartJson, UnknownEnergyHasNoBarsAndNoNaN) {
  const json data = json::parse(chart_json_of(sample_page().sections[1]));
  EXPECT_TRUE(data["estimates"][2]["bars"].empty());
  EXPECT_EQ(data["windows"][2]["label"], kHostileName);
}

}  // namespace
}  // namespace truewatt::report
