#include "truewatt/report/profile/profile_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/profile/source_figures.hpp"
#include "truewatt/testing/golden.hpp"
#include "truewatt/testing/page_markup.hpp"

namespace truewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Figure> figures_of_source(std::size_t index) {
  const ProfilePage page = sample_profile();
  return figures_of(page.figures.sources[index], page.figures.profile.sources[index]);
}

const Figure& titled(const std::vector<Figure>& figures, const std::string& begin) {
  return *std::find_if(figures.begin(), figures.end(),
                       [&](const Figure& one) { return one.title.starts_with(begin); });
}

TEST(ProfileHtml, MatchesItsGoldenFile) {
  expect_golden("profile_page.html", markup_of(render_html(sample_profile())));
}

TEST(ProfileHtml, IsSmallAndAsksTheNetworkForNothing) {
  const std::string html = render_html(sample_profile());
  EXPECT_LT(html.size(), 1'000'000U);
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr(escape_html(kHostileName)));
}

TEST(ProfileHtml, SaysWhichSourceToUseAndWhatARefusedOneNeeds) {
  const std::string markup = markup_of(render_html(sample_profile()));
  EXPECT_THAT(markup, HasSubstr("Use power.instant: it looks for a part of every update only"));
  EXPECT_THAT(markup, HasSubstr("ask the system administrator"));
  EXPECT_THAT(markup, HasSubstr("Nothing to draw."));
  ProfilePage none = sample_profile();
  none.figures.profile.recommended_source.reset();
  EXPECT_THAT(render_html(none), HasSubstr("No source can be recommended"));
}

TEST(ProfileHtml, OfAnEmptyProfileIsStillAPage) {
  EXPECT_THAT(render_html(ProfilePage{}), HasSubstr("<html lang=\"en\">"));
}

TEST(ProfileHtml, SaysWhatCountersCountAndWhoSeesTheCpu) {
  ProfilePage page = sample_profile();
  EXPECT_THAT(render_html(page), Not(HasSubstr("CPU alone")));
  SourceProfile counter{.source = {SourceKind::energy_counter, Scope::gpu}, .duty = 1.0};
  counter.counter = CounterProfile{.counting = Counting::gap,
                                   .inner_period_s = {},
                                   .gap_begin_s = 0.0057,
                                   .gap_length_s = Interval{0.0126, 0.012, 0.0132, 0.95},
                                   .agreement = {{{}, {1.25, 1.2, 1.3, 0.95}, 150.0}}};
  counter.scopes = ScopeFinding{.cpu_response_w = Interval{220.0, 218.8, 221.2, 0.95}};
  counter.needs_s = 171.0;
  page.figures.profile.sources.push_back(counter);
  const std::string html = render_html(page);
  EXPECT_THAT(html, HasSubstr("does not look from 5.7 ms after every tick on for 12.60 ± 0.60 ms"));
  EXPECT_THAT(html, HasSubstr("its energy is 1.250 ± 0.050 of power.instant"));
  EXPECT_THAT(html, HasSubstr("would probably be resolved by --budget 180"));
  EXPECT_THAT(html, HasSubstr("220.0&nbsp;±&nbsp;1.2"));
}

TEST(SourceFigures, DrawTheHistogramInMillisecondsWithItsPeriod) {
  const auto figures = figures_of_source(0);
  const Figure& figure = titled(figures, "How often");
  const Json& bars = figure.data["series"][0];
  ASSERT_EQ(bars["x"].size(), 41U);  // the last bin's end closes it
  EXPECT_EQ(bars["x"][10], 100.0);
  EXPECT_EQ(bars["y"][10], 31);
  EXPECT_EQ(bars["y"][40], 0);
  EXPECT_NEAR(figure.data["guides"][0]["x"].get<double>(), 100.0, 1e-9);
  EXPECT_THAT(figure.caption, HasSubstr("(3 beyond the axis)"));
}

TEST(SourceFigures, OverlayStepsAndNameTheClass) {
  const auto figures = figures_of_source(1);
  const Figure& figure = titled(figures, "How it answers");
  EXPECT_THAT(figure.title, HasSubstr("ramp"));
  ASSERT_EQ(figure.data["series"].size(), 3U);
  EXPECT_EQ(figure.data["series"][0]["name"], "first step, not fitted");
  EXPECT_EQ(figure.data["series"][1]["name"], "readings");
  EXPECT_EQ(figure.data["series"][2]["mark"], "line");
}

TEST(SourceFigures, ResidualsAreReadingsMinusModel) {
  const auto figures = figures_of_source(0);
  const Json& both = titled(figures, "Random work").data;
  const Json& residuals = titled(figures, "What the model").data["series"][0];
  const Json& model = both["series"][0];
  const Json& readings = both["series"][1];
  ASSERT_EQ(residuals["v"].size(), 300U);
  for (std::size_t i = 0; i < 300; ++i) {
    // Each of the three is rounded to 10 mW.
    EXPECT_NEAR(readings["v"][i].get<double>() - model["v"][i].get<double>(),
                residuals["v"][i].get<double>(), 0.0151);
  }
  EXPECT_EQ(both["activity"].size(), 200U);
  EXPECT_EQ(both["view"], Json({4.0, 7.0}));
  EXPECT_THAT(titled(figures, "Random work").caption, HasSubstr("300 of 900"));
}

TEST(SourceFigures, MarkTheWindowOrTheBoundOfIt) {
  const auto resolved = figures_of_source(0);
  const Json& mark = titled(resolved, "Loss").data["guides"][0];
  EXPECT_NEAR(mark["x"].get<double>(), 25.0, 1e-9);
  EXPECT_NEAR(mark["lower"].get<double>(), 24.5, 1e-9);
  const auto bounded = figures_of_source(2);
  EXPECT_TRUE(titled(bounded, "Loss").data["guides"][0]["x"].is_null());
  EXPECT_THAT(titled(bounded, "Loss").caption, HasSubstr("anything below 11 ms"));
}

TEST(SourceFigures, CompareTheExplanations) {
  const auto figures = figures_of_source(0);
  const Json& bars = titled(figures, "Window or filter").data["bars"];
  ASSERT_EQ(bars.size(), 4U);
  EXPECT_EQ(bars[1]["role"], "chosen");
  EXPECT_EQ(bars[1]["text"], "1.0 W, least BIC");
  EXPECT_EQ(bars[2]["text"], "6.4 W, BIC +912");
}

TEST(ParameterFigures, StandBesideWhatIsPublished) {
  const auto figures = parameter_figures(sample_profile().figures.profile);
  const Json& periods = titled(figures, "Update period").data["rows"];
  ASSERT_EQ(periods.size(), 3U);  // not of the source that may not be read
  EXPECT_EQ(periods[0]["name"], "power.instant");
  EXPECT_NEAR(periods[0]["published"].get<double>(), 100.0, 1e-9);
  const Json& covered = titled(figures, "What a reading covers").data["rows"];
  EXPECT_NEAR(covered[0]["value"].get<double>(), 25.0, 1e-9);
  EXPECT_NEAR(covered[0]["published"].get<double>(), 25.0, 1e-9);
  EXPECT_THAT(covered[0]["text"].get<std::string>(), HasSubstr("agrees"));
  EXPECT_EQ(titled(figures, "Averaging window").data["rows"].size(), 2U);
}

}  // namespace
}  // namespace truewatt::report
