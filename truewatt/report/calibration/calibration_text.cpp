#include "truewatt/report/calibration/calibration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {
namespace {

constexpr std::size_t kShortLevelTable = 20;  ///< levels of a source shown unless verbose

std::string signed_watts(double watts) {
  return std::abs(watts) < 0.005 ? "0.00" : fmt::format("{:+.2f}", watts);
}

/// An offset is not the larger for being a share of nearly nothing.
std::string without_share(const std::string& interval) {
  return interval.substr(0, interval.find(" ("));
}

std::string level_table(const Calibration& calibration, std::size_t shown) {
  TextTable table{.head = {{"level", "meter W", "sensor W", "off the line W"}}};
  for (std::size_t i = 0; i < shown; ++i) {
    const CalibrationLevel& level = calibration.levels[i];
    const double line = calibration.offset_w.value + calibration.gain.value * level.meter_w;
    table.rows.push_back({fmt::format("{}", i + 1), fmt::format("{:.2f}", level.meter_w),
                          fmt::format("{:.2f}", level.sensor_w),
                          signed_watts(level.sensor_w - line)});
  }
  return to_text(table, "   ");
}

std::string term_table(const Calibration& calibration) {
  TextTable table{.head = {{"standard uncertainty of", "type", "gain", "offset W"}},
                  .left_aligned = 2};
  for (const CalibrationTerm& term : calibration.terms) {
    table.rows.push_back({term.name, std::string(1, term.type),
                          fmt::format("{:.3f} %", 100.0 * term.gain / calibration.gain.value),
                          fmt::format("{:.3f}", term.offset_w)});
  }
  return to_text(table, "   ");
}

/// The term that has the largest share of the gain's variance.
std::string limit_of(const Calibration& calibration) {
  const auto most = std::max_element(
      calibration.terms.begin(), calibration.terms.end(),
      [](const CalibrationTerm& a, const CalibrationTerm& b) { return a.gain < b.gain; });
  return most == calibration.terms.end() ? "" : fmt::format("   limited by  {}\n", most->name);
}

std::string source_text(const Calibration& calibration, const TextOptions& options) {
  const std::size_t count = calibration.levels.size();
  const std::size_t shown = options.verbose ? count : std::min(count, kShortLevelTable);
  std::string text =
      fmt::format("\n {} against {}, {} levels and repetitions\n\n", to_string(calibration.source),
                  printable(calibration.meter), count);
  text += level_table(calibration, shown);
  if (shown < count) text += fmt::format("   ... and {} more: -v\n", count - shown);
  text += fmt::format("\n   gain        {}\n", unitless_text(calibration.gain));
  text +=
      fmt::format("   offset      {}\n", without_share(format_interval(calibration.offset_w, "W")));
  text += fmt::format("   R^2         {}\n", calibration.r_squared
                                                 ? fmt::format("{:.6f}", *calibration.r_squared)
                                                 : "unknown (two points)");
  text += limit_of(calibration) + "\n" + term_table(calibration);
  if (!calibration.reasons.empty()) text += "\n";
  for (const Coded<CalibrationReason>& reason : calibration.reasons) {
    text += hanging("   ", explain(reason), static_cast<std::size_t>(options.width));
  }
  return text;
}

}  // namespace

std::string calibration_text(const calibrate::CalibrationRun& run, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(options.width);
  const std::string name = run.device.name.empty() ? "unnamed GPU" : run.device.name;
  std::string text =
      fmt::format("\n Calibration of {}: sensor = gain x power + offset, 95 %\n", printable(name));
  for (const Calibration& calibration : run.calibrations) text += source_text(calibration, options);
  for (const calibrate::RefusedSource& refused : run.refused) {
    text += "\n" +
            hanging(" ", fmt::format("{}: {}", to_string(refused.source), refused.message), width);
  }
  if (!run.notes.empty()) text += "\n";
  for (const std::string& note : run.notes) text += hanging(" note: ", printable(note), width);
  return text + "\n";
}

}  // namespace truewatt::report
