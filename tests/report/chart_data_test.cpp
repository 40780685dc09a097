#include "truewatt/report/page/chart_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/energy/section_curves.hpp"
#include "truewatt/report/page/assets.hpp"

namespace truewatt::report {
namespace {

HostTime at(double t_s) { return HostTime(to_nanoseconds(Seconds(t_s))); }

Trace trace_of(SourceKind kind, const std::vector<CurvePoint>& readings) {
  Trace trace{{kind, Scope::gpu}, at(0.0), at(10.0), {}, {}, 0};
  for (const CurvePoint& reading : readings) {
    trace.samples.push_back({at(reading.t_s), at(reading.t_s), std::nullopt, reading.power_w});
  }
  return trace;
}

ChartAxis axis_from(double origin_s) { return {at(origin_s), ClockAlignment({})}; }

TEST(ChartData, EverySourceKindHasAColourInTheLightAndTheDarkTheme) {
  for (const SourceKind kind : kSourceKinds) {
    const std::string colour = "--c-" + role_of(kind) + ":";
    const auto light = kPageCss.find(colour);
    ASSERT_NE(light, std::string_view::npos) << colour;
    EXPECT_NE(kPageCss.find(colour, light + 1), std::string_view::npos) << colour;
  }
}

TEST(ChartData, ReadingIsHeldUntilTheNextAndTheEndOfPolling) {
  const auto series =
      series_of(trace_of(SourceKind::power_usage, {{2.0, 60.0}, {5.0, 90.0}}), axis_from(1.0));
  ASSERT_EQ(series.points.size(), 3U);
  EXPECT_TRUE(series.steps);
  EXPECT_EQ(series.role, "power-usage");
  EXPECT_DOUBLE_EQ(series.points[0].t_s, 1.0);  // 2 s on the host's clock, origin at 1 s
  EXPECT_EQ(series.points[1].power_w, 90.0);
  EXPECT_DOUBLE_EQ(series.points[2].t_s, 9.0);  // polling ended at 10 s
  EXPECT_EQ(series.points[2].power_w, 90.0);
}

TEST(ChartData, GapBreaksTheLineAndTheStandingValueGoesOnAfterIt) {
  Trace trace = trace_of(SourceKind::power_usage, {{1.0, 60.0}, {8.0, 70.0}});
  trace.gaps = {{at(3.0), at(4.0), "timed_out"}};
  const auto points = series_of(trace, axis_from(0.0)).points;
  ASSERT_EQ(points.size(), 5U);
  EXPECT_DOUBLE_EQ(points[1].t_s, 3.0);
  EXPECT_EQ(points[1].power_w, std::nullopt);
  EXPECT_DOUBLE_EQ(points[2].t_s, 4.0);
  EXPECT_EQ(points[2].power_w, 60.0);
}

TEST(ChartData, CounterIsDrawnAsItsMeanPowerBetweenTicks) {
  // A count that was there at the first look, 30 J in 2 s, 120 J in 1 s, then it starts again.
  const auto series =
      series_of(trace_of(SourceKind::energy_counter,
                         {{0.9, 95.0}, {1.0, 100.0}, {3.0, 130.0}, {4.0, 250.0}, {5.0, 3.0}}),
                axis_from(0.0));
  ASSERT_EQ(series.points.size(), 4U);
  EXPECT_DOUBLE_EQ(*series.points[0].power_w, 15.0);
  EXPECT_DOUBLE_EQ(*series.points[1].power_w, 120.0);
  EXPECT_EQ(series.points[2].power_w, std::nullopt);
  EXPECT_DOUBLE_EQ(series.points[0].t_s, 1.0);
}

TEST(ChartData, CounterIsNotDrawnOverStretchesThatItsBracketsBlur) {
  // 100 W; every second tick of 100 ms was seen late, in a bracket of 30 ms.
  Trace trace{.source = {SourceKind::energy_counter, Scope::gpu}, .begin = at(0), .end = at(2)};
  for (int k = 0; k < 20; ++k) {
    const double tick = 0.1 * k;
    const double late = k % 2 == 0 ? 0.002 : 0.028;
    trace.samples.push_back({at(tick - 0.002), at(tick + late), std::nullopt, 10.0 * k});
  }
  for (const ChartPoint& point : series_of(trace, axis_from(0.0)).points) {
    EXPECT_NEAR(*point.power_w, 100.0, 10.0);
  }
}

TEST(ChartData, AreaUnderADrawnCounterIsItsDifference) {
  const Section section = sample_page().sections[0];
  const Trace& counter = section.recording.traces[3];
  const auto points = series_of(counter, axis_from(0.0)).points;
  double joules = 0.0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    joules += *points[i].power_w * (points[i + 1].t_s - points[i].t_s);
  }
  // From the first tick that was seen; the sum telescopes, each term rounds at 1e-16 of a kJ.
  EXPECT_NEAR(joules, counter.samples.back().value - counter.samples[1].value, 1e-9);
}

TEST(ChartData, RingBufferSamplesStandAtTheirOwnStamps) {
  Trace trace = trace_of(SourceKind::power_samples, {{5.0, 60.0}});
  trace.samples[0].stamp = DriverTime(std::chrono::seconds(1002));
  const ChartAxis axis{at(0.0),
                       ClockAlignment({{at(0.0), DriverTime(std::chrono::seconds(1000)), {}},
                                       {at(9.0), DriverTime(std::chrono::seconds(1009)), {}}})};
  EXPECT_DOUBLE_EQ(series_of(trace, axis).points[0].t_s, 2.0);
  EXPECT_DOUBLE_EQ(series_of(trace, axis_from(0.0)).points[0].t_s, 5.0);  // no clock pairs
}

TEST(ChartData, DecimationKeepsExtremesEndsAndOrder) {
  std::vector<ChartPoint> points;
  for (int k = 0; k < 100'000; ++k) points.push_back({0.001 * k, std::sin(0.05 * k)});
  points[41'234].power_w = 99.0;
  points[71'234].power_w = -99.0;
  points[51'111].power_w.reset();
  const auto kept = decimated(points, 400);
  EXPECT_LE(kept.size(), 401U);  // 199 stretches of two, both ends, one break
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(),
                             [](const auto& a, const auto& b) { return a.t_s < b.t_s; }));
  const auto has = [&kept](const ChartPoint& wanted) {
    return std::any_of(kept.begin(), kept.end(), [&wanted](const ChartPoint& point) {
      return point.t_s == wanted.t_s && point.power_w == wanted.power_w;
    });
  };
  for (const std::size_t k : {0U, 41'234U, 51'111U, 71'234U, 99'999U}) {
    EXPECT_TRUE(has(points[k])) << k;
  }
}

TEST(ChartData, ShortCurvesAreLeftAlone) {
  const std::vector<ChartPoint> points = {{0.0, 1.0}, {1.0, 2.0}, {2.0, std::nullopt}};
  EXPECT_EQ(decimated(points, 4000).size(), 3U);
}

TEST(ChartData, CurvesOfAPageHaveDifferentNames) {
  Section section = sample_page().sections[0];
  section.curves = {{"meter", {{0.0, 1.0}}}, {"meter", {{0.0, 2.0}}}};
  const auto series = chart_series(section, 4000);
  ASSERT_EQ(series.size(), 6U);
  EXPECT_EQ(series[4].name, "meter");
  EXPECT_EQ(series[5].name, "meter 2");
}

TEST(ChartData, ManyCurvesShareThePage) {
  Page page = sample_page();
  EXPECT_EQ(points_per_series(page), 4000U);
  for (int k = 0; k < 100; ++k) page.sections.push_back(page.sections[0]);
  EXPECT_LT(points_per_series(page), 300U);
}

}  // namespace
}  // namespace truewatt::report
