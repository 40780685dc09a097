#include "truewatt/report/calibration/calibration_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_results.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CalibrationFigures, DrawLevelsLineAndWhatLiesOffIt) {
  const Calibration calibration = sample_calibration().calibrations.at(0);
  const auto figures = calibration_figures(calibration);
  ASSERT_EQ(figures.size(), 2U);
  const Json& series = figures[0].data["series"];
  EXPECT_EQ(series[0]["x"], Json({50, 150, 300}));
  EXPECT_EQ(series[0]["y"], Json({49.5, 144, 287.5}));
  EXPECT_EQ(series[1]["x"], Json({45, 312}));
  EXPECT_EQ(series[1]["y"], Json({44.75, 298.4}));  // 2 W + 0.95 of the meter's
  EXPECT_EQ(series[2]["y"], Json({45, 312}));
  EXPECT_EQ(figures[1].data["series"][0]["y"], Json({0, -0.5, 0.5}));
}

TEST(CalibrationFigures, NeedLevels) { EXPECT_TRUE(calibration_figures(Calibration{}).empty()); }

TEST(CalibrationHtml, HoldsEveryNumberAndEscapesNames) {
  const std::string html = calibration_html(sample_calibration(), {{"Device", kHostileName}});
  for (const char* text : {"power.instant", "144.00", "-0.50", "0.999900", "meter_scale",
                           "Not calibrated: power.average", "too few levels"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  EXPECT_THAT(html, HasSubstr(escape_html(kHostileName)));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
}

}  // namespace
}  // namespace truewatt::report
