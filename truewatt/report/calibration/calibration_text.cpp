#include "truewatt/report/calibration/calibration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {
namespace {

std::string signed_watts(double watts) {
  return std::abs(watts) < 0.005 ? "0.00" : fmt::format("{:+.2f}", watts);
}

/// An offset is not the larger for being a share of nearly nothing.
std::string without_share(const std::string& interval) {
  return interval.substr(0, interval.find(" ("));
}

std::string level_table(const Calibration& calibration) {
  TextTable table{.head = {{"level", "meter W", "sensor W", "off the line W"}}};
  for (std::size_t i = 0; i < calibration.levels.size(); ++i) {
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
  return most == calibration.terms.end() ? "" : most->name;
}

std::string offset_without_share(const Calibration& calibration) {
  return without_share(format_interval(calibration.offset_w, "W"));
}

std::string source_text(const Calibration& calibration, const TextOptions& options) {
  std::string text =
      fmt::format("\n {} against {}, {} levels and repetitions\n\n", to_string(calibration.source),
                  printable(calibration.meter), calibration.levels.size());
  text += level_table(calibration);
  text += fmt::format("\n   gain        {}\n", unitless_text(calibration.gain));
  text += fmt::format("   offset      {}\n", offset_without_share(calibration));
  text += fmt::format("   R^2         {}\n", calibration.r_squared
                                                 ? fmt::format("{:.6f}", *calibration.r_squared)
                                                 : "unknown (two points)");
  const std::string limit = limit_of(calibration);
  if (!limit.empty()) text += fmt::format("   limited by  {}\n", limit);
  text += "\n" + term_table(calibration);
  if (!calibration.reasons.empty()) text += "\n";
  for (const Coded<CalibrationReason>& reason : calibration.reasons) {
    text += hanging("   ", explain(reason), static_cast<std::size_t>(options.width));
  }
  return text;
}

/// A line a source, and what is to be said of any of them.
std::string brief_text(const calibrate::CalibrationRun& run, std::size_t width) {
  TextTable table{.head = {{"source", "levels", "gain", "offset", "limited by"}},
                  .left_aligned = 1};
  std::vector<std::string> sentences;
  for (const Calibration& calibration : run.calibrations) {
    table.rows.push_back({to_string(calibration.source),
                          fmt::format("{}", calibration.levels.size()),
                          unitless_text(calibration.gain), offset_without_share(calibration),
                          limit_of(calibration)});
    for (const Coded<CalibrationReason>& reason : calibration.reasons) {
      std::string sentence(explain(reason));
      if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
        sentences.push_back(std::move(sentence));
      }
    }
  }
  if (table.rows.empty()) return "";
  std::string text = "\n" + to_text(table, "   ");
  for (const std::string& sentence : sentences) text += hanging("   ", sentence, width);
  return text + "   -v shows the levels and what each number's uncertainty is made of\n";
}

}  // namespace

std::string calibration_text(const calibrate::CalibrationRun& run, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(options.width);
  const std::string name = run.device.name.empty() ? "unnamed GPU" : run.device.name;
  const std::string meter =
      run.calibrations.empty() ? "" : " by " + printable(run.calibrations.front().meter);
  std::string text = "\n" + hanging(" ",
                                    fmt::format("Calibration of {}{}: sensor = gain x power + "
                                                "offset, 95 %",
                                                printable(name), meter),
                                    width);
  if (!options.verbose) text += brief_text(run, width);
  for (const Calibration& calibration : run.calibrations) {
    if (options.verbose) text += source_text(calibration, options);
  }
  for (const calibrate::RefusedSource& refused : run.refused) {
    text += "\n" +
            hanging(" ", fmt::format("{}: {}", to_string(refused.source), refused.message), width);
  }
  if (!run.notes.empty()) text += "\n";
  for (const std::string& note : run.notes) text += hanging(" note: ", note, width);
  return text + "\n";
}

}  // namespace truewatt::report
