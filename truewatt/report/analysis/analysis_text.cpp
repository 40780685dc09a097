#include "truewatt/report/analysis/analysis_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "truewatt/base/format.hpp"
#include "truewatt/report/energy/brief_text.hpp"
#include "truewatt/report/energy/energy_rows.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {
namespace {

constexpr std::size_t kShortWindowTable = 40;  ///< windows of a source shown unless verbose

/// Reasons of a table's windows, each with a letter that stands in the rows.
using Marks = std::map<energy::Reason, char>;

std::string cell(const std::optional<double>& value, int significant) {
  return value ? plain(*value, significant) : "";
}
std::string cell(const std::optional<Watts>& value) {
  return value ? fmt::format("{:.2f}", value->value()) : "";
}

std::string interval_cell(const std::optional<Interval>& joules) {
  if (!joules) return "none";
  const std::string text = unitless_text(*joules);
  return text.substr(0, text.find(" ("));
}

std::string difference_cell(const calibrate::PlateauMeans& plateau) {
  if (!plateau.sensor || !plateau.meter || plateau.meter->value() == 0.0) return "";
  const double ratio = *plateau.sensor / *plateau.meter;
  return fmt::format("{:+.2f}", 100.0 * (ratio - 1.0));
}

std::string mark_cell(const analyze::AnalyzedWindow& window, Marks& marks) {
  std::string letters;
  for (const energy::Reason reason : window.reasons) {
    const char next = static_cast<char>('a' + marks.size());
    letters += marks.try_emplace(reason, next).first->second;
  }
  return letters;
}

TextTable window_table(const std::vector<analyze::AnalyzedWindow>& windows, std::size_t shown,
                       Marks& marks) {
  TextTable table;
  table.head = {{"window", "begin", "length", "naive", "energy", "meter", "plateau", "plateau",
                 "plateau", ""},
                {"", "s", "s", "J", "J", "J", "sensor W", "meter W", "diff %", ""}};
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::AnalyzedWindow& window = windows[i];
    table.rows.push_back(
        {fmt::format("{}", i + 1), fmt::format("{:.3f}", window.begin_s),
         fmt::format("{:.3f}", window.end_s - window.begin_s), cell(window.naive_j, 5),
         interval_cell(window.energy_j), cell(window.meter_j, 5), cell(window.plateau.sensor),
         cell(window.plateau.meter), difference_cell(window.plateau), mark_cell(window, marks)});
  }
  return table;
}

std::string marks_text(const Marks& marks, std::size_t width) {
  std::map<char, energy::Reason> by_letter;
  for (const auto& [reason, letter] : marks) by_letter.emplace(letter, reason);
  std::string text;
  for (const auto& [letter, reason] : by_letter) {
    std::string sentence(energy::to_string(reason));
    sentence.append(": ").append(energy::explain(reason));
    text += hanging(fmt::format("   {}  ", letter), sentence, width);
  }
  return text;
}

std::string windows_text(const analyze::AnalyzedSource& source, const TextOptions& options) {
  if (source.windows.empty()) return "   no energy: the readings are too few\n";
  const std::size_t count = source.windows.size();
  const std::size_t shown = options.verbose ? count : std::min(count, kShortWindowTable);
  Marks marks;
  std::string text = to_text(window_table(source.windows, shown, marks), "   ");
  if (shown < count) {
    text +=
        fmt::format("   and {} more windows: -v shows them, --json has them all\n", count - shown);
  }
  return text + marks_text(marks, static_cast<std::size_t>(std::max(options.width, 40)));
}

struct Parameter {
  std::string_view name;
  const std::optional<Interval>* interval;
  double factor;
  std::string_view unit;
};

std::string parameter_text(const Parameter& parameter) {
  if (!*parameter.interval) return "";
  const Interval interval = scaled(**parameter.interval, parameter.factor);
  return fmt::format(
      "   {:<18}{}\n", parameter.name,
      parameter.unit.empty() ? unitless_text(interval) : format_interval(interval, parameter.unit));
}

/// Why there is no observation model; nothing where nobody would look for one.
std::string no_model_text(NoModelReason reason) {
  const std::string_view words = explain(reason);
  return words.empty() ? "" : fmt::format("   {:<18}{}\n", "no model", words);
}

std::string model_text(const analyze::AnalyzedSource& source) {
  std::string text = parameter_text({"update period", &source.update_period_s, 1e3, "ms"});
  for (const NoModelReason reason : source.reasons) text += no_model_text(reason);
  if (!source.fit) return text;
  const identification::SourceFit& fit = *source.fit;
  for (const Parameter& parameter :
       {Parameter{"averaging window", &fit.averaging_window_s, 1e3, "ms"},
        Parameter{"delay", &fit.delay_s, 1e3, "ms"},
        Parameter{"time constant", &fit.time_constant_s, 1e3, "ms"},
        Parameter{"gain", &fit.gain, 1.0, ""}, Parameter{"offset", &fit.offset_w, 1.0, "W"}}) {
    text += parameter_text(parameter);
  }
  return text;
}

std::string gpu_name(const analyze::Analysis& analysis, int device) {
  const DeviceIdentity& gpu = analysis.devices.at(static_cast<std::size_t>(device)).identity;
  const std::string host = gpu.host.empty() ? "" : fmt::format(" ({})", printable(gpu.host));
  return fmt::format("GPU {}{}", gpu.index, host);
}

std::string source_text(const analyze::Analysis& analysis, const analyze::AnalyzedSource& source,
                        const TextOptions& options) {
  const std::string of = analysis.devices.size() > 1 ? gpu_name(analysis, source.device) + " " : "";
  const std::string name = Paint(options.colour).bold(of + to_string(source.source));
  std::string model = model_text(source);
  if (!model.empty()) model += "\n";
  return fmt::format(" {}: {} different reading{}\n\n{}{}\n", name, source.samples,
                     source.samples == 1 ? "" : "s", model, windows_text(source, options));
}

std::string combined_text(const analyze::AnalyzedWhole& whole, const TextOptions& options) {
  const Paint paint(options.colour);
  const energy::EnergyEstimate& estimate = whole.estimate;
  std::vector<SummaryRow> rows = {interval_row(estimate.energy, "gross energy"),
                                  interval_row(estimate.net_energy, "net energy")};
  rows[0].comment = "over " + duration_text(estimate.window);
  rows[1].comment =
      estimate.baseline ? "above idle (" + idle_text(estimate) + ")" : "no idle was recorded";
  std::optional<Joules> metered;
  if (whole.meter_j) {
    metered = Joules(*whole.meter_j);
    rows.push_back({energy_text_of(*whole.meter_j), "", "by the meter", ""});
  }
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  return fmt::format(" Whole recording: {} window{}, busy for {}\n\n{}{}{}\n{}\n",
                     whole.window_count, whole.window_count == 1 ? "" : "s",
                     duration_text(Seconds(whole.busy_s)), summary_text(rows, paint),
                     readers_text(estimate, {"meter", metered}), budget_text(estimate),
                     verdict_text({energy::status_of(estimate), estimate.reasons}, paint, width));
}

constexpr std::size_t kBriefWindows = 20;

/// Reasons of the brief table's windows, each with a letter that stands in the rows.
std::string letters_of(const energy::EnergyEstimate& estimate, Marks& marks) {
  std::string letters;
  for (const energy::Reason reason : estimate.reasons) {
    if (reason == energy::Reason::uncalibrated_gain ||
        reason == energy::Reason::uncertainty_above_target) {
      continue;
    }
    const char next = static_cast<char>('a' + marks.size());
    letters += marks.try_emplace(reason, next).first->second;
  }
  return letters;
}

std::string window_name(const analyze::Analysis& analysis, const energy::WindowResult& window) {
  const std::string label = printable(window.label);
  return analysis.devices.size() > 1 ? gpu_name(analysis, window.device) + " " + label : label;
}

std::vector<std::string> total_row(const analyze::AnalyzedTotal& total) {
  const auto& [energy, net] = total.energy;
  return {"total " + printable(total.label),
          fmt::format("{:.3f}", total.begin_s),
          fmt::format("{:.3f}", total.end_s - total.begin_s),
          energy ? on_scale_text(*energy) : "none: a GPU has none",
          net ? format_interval(energy::on_sensor_scale(*net), "J") : "",
          "",
          ""};
}

/// A line a window: when, how long, its energy on the sensor's scale, the one status.
std::string brief_windows(const analyze::Analysis& analysis, const TextOptions& options,
                          Marks& marks) {
  const auto& windows = analysis.windows;
  if (windows.empty()) return "   no energy: the readings are too few\n";
  const std::size_t shown =
      options.verbose ? windows.size() : std::min(windows.size(), kBriefWindows);
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"window", "begin s", "length s", "energy", "above idle", "", ""}};
  for (std::size_t i = 0; i < shown; ++i) {
    const energy::EnergyEstimate& one = windows[i].estimate;
    std::string net;
    if (one.net_energy) net = format_interval(energy::on_sensor_scale(*one.net_energy), "J");
    table.rows.push_back(
        {window_name(analysis, windows[i]), fmt::format("{:.3f}", windows[i].begin_s),
         fmt::format("{:.3f}", windows[i].end_s - windows[i].begin_s),
         one.energy ? on_scale_text(*one.energy) : "none", net,
         std::string(energy::to_string(energy::status_of(one))), letters_of(one, marks)});
  }
  const std::size_t totals =
      options.verbose ? analysis.totals.size() : std::min(analysis.totals.size(), kBriefWindows);
  for (std::size_t i = 0; i < totals; ++i) table.rows.push_back(total_row(analysis.totals[i]));
  std::string text = to_text(table, "   ");
  if (shown < windows.size()) {
    text += fmt::format("   and {} more windows: -v shows them, --json has them all\n",
                        windows.size() - shown);
  }
  return text;
}

std::string brief_labels(const analyze::Analysis& analysis) {
  std::string text;
  for (const energy::LabelResult& label : analysis.labels) {
    if (label.count < 2 || !label.mean || !label.energy) continue;
    const std::string of =
        analysis.devices.size() > 1 ? gpu_name(analysis, label.device) + " " : "";
    text += fmt::format("   {}{} x {}: mean {}, all {}", of, printable(label.label), label.count,
                        on_scale_text(*label.mean), on_scale_text(*label.energy));
    if (label.scatter_j) text += fmt::format(", scatter {} J", plain(*label.scatter_j, 2));
    text += "\n";
  }
  return text;
}

/// How much the scale adds: once, of the window that it widens most of those that are known to half
/// of themselves, if any is: of the others a share says nothing either.
std::string scale_line(const analyze::Analysis& analysis) {
  constexpr double kKnown = 0.5;
  const energy::WindowResult* most = nullptr;
  const auto rank = [](const energy::WindowResult& one) {
    const energy::EnergyInterval& energy = *one.estimate.energy;
    const double joules = std::abs(energy.interval.value);
    const bool is_known = half_width_of(energy.interval) < kKnown * joules;
    return std::pair(is_known, energy.gain_uncertainty / joules);
  };
  for (const energy::WindowResult& window : analysis.windows) {
    if (!window.estimate.energy) continue;
    if (!most || rank(window) > rank(*most)) most = &window;
  }
  if (!most) return "";
  const bool calibrated =
      !energy::has_reason(most->estimate.reasons, energy::Reason::uncalibrated_gain);
  return fmt::format("   on this sensor's scale; ± {} % more against a wattmeter ({})\n",
                     plain(100 * kCoverageFactor95 * rank(*most).second, 2),
                     calibrated ? "calibrated" : "never calibrated");
}

std::string brief_marks(const analyze::Analysis& analysis, const Marks& marks, std::size_t width) {
  std::map<char, energy::Reason> by_letter;
  for (const auto& [reason, letter] : marks) by_letter.emplace(letter, reason);
  std::string_view advice;
  for (const energy::WindowResult& window : analysis.windows) {
    if (advice.empty()) advice = lock_advice(window.estimate);
  }
  std::string text;
  for (const auto& [letter, reason] : by_letter) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", letter, energy::briefly(reason));
    const bool is_of_locks = reason == energy::Reason::phase_lock_not_excluded;
    if (is_of_locks && !advice.empty()) text += fmt::format(" ({})", advice);
  }
  return text.empty() ? "" : hanging("   ", text, width);
}

std::string brief_text(const analyze::Analysis& analysis, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  Marks marks;
  std::string text = brief_windows(analysis, options, marks);
  text += brief_labels(analysis) + scale_line(analysis) + brief_marks(analysis, marks, width);
  if (analysis.combined && analysis.combined->meter_j && analysis.combined->estimate.energy) {
    const double joules = analysis.combined->estimate.energy->interval.value;
    text += fmt::format("   the meter says {} from first to last, the estimate {} ({})\n",
                        energy_text_of(*analysis.combined->meter_j), energy_text_of(joules),
                        signed_percent({joules, *analysis.combined->meter_j}).value_or(""));
  }
  return text;
}

}  // namespace

std::string analysis_text(const analyze::Analysis& analysis, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string rows = fmt::format("{} rows", analysis.rows);
  if (analysis.bad_rows > 0) rows += fmt::format(", {} could not be read", analysis.bad_rows);
  std::string text = fmt::format(" Analysis of {} ({}, {}):\n", printable(analysis.path),
                                 printable(analysis.format), rows);
  text += brief_text(analysis, options);
  if (options.verbose) {
    text += "\n";
    for (const analyze::AnalyzedSource& source : analysis.sources) {
      text += source_text(analysis, source, options);
    }
    if (analysis.combined) text += combined_text(*analysis.combined, options);
  } else if (analysis.combined) {
    std::optional<Joules> metered;
    if (analysis.combined->meter_j) metered = Joules(*analysis.combined->meter_j);
    text += readers_text(analysis.combined->estimate, {"meter", metered});
  }
  std::vector<std::string> notes;
  for (const std::string& note : analysis.notes) {
    notes.push_back(hanging(" note: ", note, width));
  }
  constexpr std::size_t kBriefNotes = 2;
  const bool fits = options.verbose || notes.size() <= kBriefNotes;
  for (std::size_t i = 0; i < (fits ? notes.size() : kBriefNotes - 1); ++i) text += notes[i];
  if (!fits) {
    text += fmt::format(" {} more notes: -v shows them\n", notes.size() - (kBriefNotes - 1));
  }
  return text;
}

}  // namespace truewatt::report
