#include "truewatt/cli/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "truewatt/base/format.hpp"

namespace truewatt::cli {
namespace {

const double kGainUncertainty = energy::EstimateOptions{}.board.gain.standard_uncertainty;

/// Time 0 of a chart: the first window's begin, or the first poll.
HostTime origin_of(const Recording& recording) {
  if (!recording.windows.empty()) return recording.windows.front().begin;
  HostTime origin = HostTime::max();
  for (const Trace& trace : recording.traces) origin = std::min(origin, trace.begin);
  return origin == HostTime::max() ? HostTime() : origin;
}

report::Curve curve_of(const std::vector<store::CurvePoint>& points, HostTime origin) {
  report::Curve curve{.name = "true power"};
  curve.points.reserve(points.size());
  for (const store::CurvePoint& point : points) {
    curve.points.push_back({seconds_between(origin, point.time), point.power.value()});
  }
  return curve;
}

report::Section section_of(std::string title, std::string text, const Recording& recording,
                           std::vector<energy::EnergyEstimate> estimates,
                           const std::vector<store::CurvePoint>& curve) {
  report::Section section;
  section.title = std::move(title);
  section.text = std::move(text);
  section.origin = origin_of(recording);
  section.recording = recording;
  section.estimates = std::move(estimates);
  if (!curve.empty()) section.curves.push_back(curve_of(curve, section.origin));
  return section;
}

/// The estimates that belong to one device, in order.
std::vector<energy::EnergyEstimate> estimates_of(const measure::EnergyRun& run,
                                                 const DeviceIdentity& device) {
  std::vector<energy::EnergyEstimate> estimates;
  for (const energy::EnergyEstimate& estimate : run.devices) {
    if (estimate.device == device) estimates.push_back(estimate);
  }
  if (!run.node || !is_host(device)) return estimates;
  for (const energy::NodeSource& source : run.node->sources) {
    if (source.estimate.device == device) estimates.push_back(source.estimate);
  }
  return estimates;
}

void add_device(report::Page& page, const DeviceIdentity& device) {
  page.metadata.emplace_back("Device", device.name);
  page.metadata.emplace_back("UUID", device.uuid);
  page.metadata.emplace_back("PCI", device.pci);
  page.metadata.emplace_back("Driver", device.driver);
}

/// `812 J ± 40 J: GPU 0 (NVIDIA H200), CPU package 0 (RAPL)`, or why there is no number.
std::string node_text(const energy::NodeEnergy& node) {
  if (node.energy) {
    return fmt::format("{}: {}", format_interval(node.energy->interval, "J"),
                       fmt::join(node.covers, ", "));
  }
  std::string text = "unknown";
  for (const energy::Reason reason : node.reasons) {
    text.append(text == "unknown" ? ": " : ", ").append(energy::to_string(reason));
  }
  return text;
}

/// Every meter of the node, what of it was added, and why others were not.
report::Table node_table(const energy::NodeEnergy& node) {
  report::Table table{
      .title = "Node", .header = {"Meter", "Energy", "Added", "Why not"}, .rows = {}};
  for (const energy::NodeSource& source : node.sources) {
    std::string why = source.refusal;
    for (const energy::Reason reason : source.estimate.reasons) {
      if (source.estimate.energy || !source.refusal.empty()) break;
      why.append(why.empty() ? "" : ", ").append(energy::to_string(reason));
    }
    const auto& energy = source.estimate.energy;
    table.rows.push_back({source.label, energy ? format_interval(energy->interval, "J") : "unknown",
                          source.added ? "yes" : "no", why});
  }
  return table;
}

void add_run(report::Page& page, const measure::EnergyRun& run) {
  page.metadata.emplace_back("truewatt", run.tool_version);
  const bool is_simulated =
      !run.devices.empty() && run.devices.front().device.driver == "simulated";
  page.metadata.emplace_back("Start", is_simulated ? "simulated time" : format_utc(run.start));
  if (!run.load.empty()) page.metadata.emplace_back("Load", run.load);
  if (run.command) {
    page.metadata.emplace_back("Command", fmt::format("{}", fmt::join(run.command->argv, " ")));
    page.metadata.emplace_back("Exit code", fmt::format("{}", run.command->exit_code));
  }
  if (run.node) page.metadata.emplace_back("Node", node_text(*run.node));
  for (const std::string& note : run.notes) page.metadata.emplace_back("Note", note);
}

}  // namespace

report::Page page_of(const measure::Measurement& measurement, const std::string& title) {
  report::Page page{.title = title, .gain_standard_uncertainty = kGainUncertainty};
  add_run(page, measurement.run);
  for (std::size_t i = 0; i < measurement.recordings.size(); ++i) {
    const Recording& recording = measurement.recordings[i];
    add_device(page, recording.device);
    page.sections.push_back(section_of(recording.device.name, "", recording,
                                       estimates_of(measurement.run, recording.device),
                                       measurement.curves[i]));
    if (i < measurement.figures.size()) page.sections.back().figures = measurement.figures[i];
  }
  if (measurement.recordings.size() > 1 && measurement.run.devices.size() > 1) {
    const auto& total = measurement.run.total.energy;
    page.text =
        fmt::format("All {} GPUs together: {}.", measurement.run.devices.size(),
                    total ? format_interval(energy::on_sensor_scale(*total), "J") +
                                " on these sensors' scale; " +
                                format_interval(total->interval, "J") + " against a wattmeter"
                          : std::string("none, since a GPU has no number"));
  }
  if (measurement.run.node && !page.sections.empty()) {
    page.sections.front().tables.push_back(node_table(*measurement.run.node));
  }
  return page;
}

report::Page page_of(const std::vector<demo::DemoExperiment>& experiments,
                     const std::string& device) {
  report::Page page{.title = "truewatt demo: " + device,
                    .text =
                        "What a GPU's own power sensor says, what truewatt makes of it, and "
                        "what was really drawn. The GPU is simulated, so the truth is known.",
                    .gain_standard_uncertainty = kGainUncertainty};
  for (const demo::DemoExperiment& experiment : experiments) {
    const measure::Measurement& measurement = experiment.measurement;
    report::Section section =
        section_of(experiment.title, experiment.text, measurement.recordings.at(0),
                   measurement.run.devices, measurement.curves.at(0));
    section.estimate_labels = experiment.labels;
    if (!measurement.figures.empty()) section.figures = measurement.figures.front();
    page.sections.push_back(std::move(section));
  }
  if (!experiments.empty()) {
    const measure::Measurement& first = experiments.front().measurement;
    page.metadata.emplace_back("truewatt", first.run.tool_version);
    add_device(page, first.recordings.at(0).device);
  }
  return page;
}

report::Page page_of(const store::RunFile& file, const std::string& path) {
  report::Page page{.title = "truewatt run: " + std::filesystem::path(path).filename().string(),
                    .gain_standard_uncertainty = kGainUncertainty};
  if (!file.finished)
    page.text = "The run was cut short; everything up to the last second is here.";
  for (const auto& [key, value] : file.metadata) page.metadata.emplace_back(key, value);
  for (const store::DeviceRun& run : file.devices) {
    add_device(page, run.recording.device);
    page.sections.push_back(
        section_of(run.recording.device.name, "", run.recording, run.estimates, run.curve));
  }
  return page;
}

namespace {

std::string cell(const std::optional<double>& value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "–";
}

std::string gpu_before(const analyze::Analysis& analysis, int device) {
  if (analysis.devices.size() < 2) return "";
  return fmt::format("GPU {} ",
                     analysis.devices.at(static_cast<std::size_t>(device)).identity.index);
}

std::string on_scale(const std::optional<energy::EnergyInterval>& energy) {
  return energy ? format_interval(energy::on_sensor_scale(*energy), "J") : "none";
}

/// What `reasons` say briefly, less those that are `known`; empty where that is all.
std::string briefly(const std::vector<energy::Reason>& reasons,
                    const std::vector<energy::Reason>& known) {
  std::string text;
  for (const energy::Reason reason : reasons) {
    if (reason == energy::Reason::uncalibrated_gain || energy::has_reason(known, reason)) continue;
    text += (text.empty() ? "" : "; ") + std::string(energy::briefly(reason));
  }
  return text;
}

/// Reasons that every window has.
std::vector<energy::Reason> reasons_of_all(const std::vector<energy::WindowResult>& windows) {
  if (windows.size() < 2) return {};
  std::vector<energy::Reason> shared = windows.front().estimate.reasons;
  for (const energy::WindowResult& window : windows) {
    std::erase_if(shared, [&](energy::Reason reason) {
      return !energy::has_reason(window.estimate.reasons, reason);
    });
  }
  return shared;
}

/// Windows by all sources together, and sums over the GPUs, as the text output shows them.
report::Table windows_table(const analyze::Analysis& analysis) {
  report::Table table{
      .title = "Windows, on this sensor's scale",
      .header = {"window", "begin (s)", "length (s)", "energy", "above idle", "status"},
      .rows = {}};
  constexpr std::size_t kRows = 20;
  const std::vector<energy::Reason> shared = reasons_of_all(analysis.windows);
  const auto add = [&](std::string name, double begin, double end, std::string energy,
                       std::string net, std::string status) {
    table.rows.push_back({std::move(name), fmt::format("{:.3f}", begin),
                          fmt::format("{:.3f}", end - begin), std::move(energy), std::move(net),
                          std::move(status)});
  };
  for (const energy::WindowResult& window : analysis.windows) {
    if (table.rows.size() == kRows) {
      table.title += fmt::format(", the first {} of {}", kRows, analysis.windows.size());
      break;
    }
    const energy::EnergyEstimate& one = window.estimate;
    std::string status(to_string(energy::status_of(one)));
    const std::string why = briefly(one.reasons, shared);
    if (!why.empty()) status += ": " + why;
    add(gpu_before(analysis, window.device) + window.label, window.begin_s, window.end_s,
        on_scale(one.energy), on_scale(one.net_energy), std::move(status));
  }
  const std::string of_all = briefly(shared, {});
  if (!of_all.empty()) table.title += " (of all: " + of_all + ")";
  for (const analyze::AnalyzedTotal& total : analysis.totals) {
    if (table.rows.size() >= 2 * kRows) break;
    add("all GPUs " + total.label, total.begin_s, total.end_s, on_scale(total.energy.energy),
        on_scale(total.energy.net_energy), total.energy.energy ? "" : "a GPU has no number");
  }
  return table;
}

/// Windows that share a name, together; no row where none does.
report::Table labels_table(const analyze::Analysis& analysis) {
  report::Table table{.title = "Windows of one name, on this sensor's scale",
                      .header = {"name", "windows", "together", "mean of one", "scatter (J)"},
                      .rows = {}};
  for (const energy::LabelResult& label : analysis.labels) {
    if (label.count < 2) continue;
    table.rows.push_back({gpu_before(analysis, label.device) + label.label,
                          fmt::format("{}", label.count), on_scale(label.energy),
                          on_scale(label.mean), cell(label.scatter_j, 2)});
  }
  return table;
}

/// Without columns in which no row has anything.
report::Table without_empty_columns(report::Table table) {
  for (std::size_t column = table.header.size(); column-- > 1;) {
    const auto is_empty = [&](const auto& row) { return row[column] == "–"; };
    if (!std::all_of(table.rows.begin(), table.rows.end(), is_empty)) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.header.erase(table.header.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
  return table;
}

/// What each source tells alone, with the scale's uncertainty.
report::Table sources_table(const analyze::Analysis& analysis) {
  report::Table table{.title = "Windows by each source alone, against a wattmeter",
                      .header = {"source", "begin (s)", "length (s)", "polling (J)", "estimate (J)",
                                 "meter (J)", "plateau sensor (W)", "plateau meter (W)"}};
  constexpr std::size_t kRows = 60;
  for (const analyze::AnalyzedSource& source : analysis.sources) {
    const std::string name = gpu_before(analysis, source.device) + to_string(source.source);
    for (const analyze::AnalyzedWindow& window : source.windows) {
      if (table.rows.size() == kRows) return without_empty_columns(std::move(table));
      const auto watts = [](const std::optional<Watts>& power) {
        return power ? std::optional(power->value()) : std::nullopt;
      };
      table.rows.push_back(
          {name, fmt::format("{:.3f}", window.begin_s),
           fmt::format("{:.3f}", window.end_s - window.begin_s), cell(window.naive_j, 2),
           window.energy_j ? format_interval(*window.energy_j, "J") : "–", cell(window.meter_j, 2),
           cell(watts(window.plateau.sensor), 1), cell(watts(window.plateau.meter), 1)});
    }
  }
  return without_empty_columns(std::move(table));
}

/// What a section's one estimate is of: the GPU, and its only window or all of them.
std::string title_of(const analyze::Analysis& analysis, const DeviceIdentity& device) {
  const std::string gpu =
      analysis.devices.size() > 1
          ? fmt::format("GPU {}{}{}", device.index, device.name.empty() ? "" : " ", device.name)
          : device.name;
  const bool is_one = analysis.windows.size() == analysis.devices.size();
  const std::string what = is_one ? analysis.windows.front().label : "from first to last window";
  return gpu.empty() ? what : gpu + ", " + what;
}

}  // namespace

report::Page page_of(const analyze::AnalyzedRecording& analyzed) {
  report::Page page{.title = "truewatt analysis: " +
                             std::filesystem::path(analyzed.analysis.path).filename().string(),
                    .gain_standard_uncertainty = kGainUncertainty};
  page.metadata = {{"truewatt", analyzed.analysis.tool_version},
                   {"Path", analyzed.analysis.path},
                   {"Format", analyzed.analysis.format},
                   {"Rows", fmt::format("{}", analyzed.analysis.rows)},
                   {"Bad rows", fmt::format("{}", analyzed.analysis.bad_rows)}};
  if (!analyzed.analysis.utc_offset.empty()) {
    page.metadata.emplace_back("Local time minus UTC", analyzed.analysis.utc_offset);
  }
  for (const analyze::AnalyzedGpu& gpu : analyzed.gpus) add_device(page, gpu.recording.device);
  for (const std::string& note : analyzed.analysis.notes) page.metadata.emplace_back("Note", note);
  for (std::size_t i = 0; i < analyzed.gpus.size(); ++i) {
    const analyze::AnalyzedGpu& gpu = analyzed.gpus[i];
    const std::string title = title_of(analyzed.analysis, gpu.recording.device);
    std::vector<energy::EnergyEstimate> estimates;
    const auto& combined = analyzed.analysis.devices[i].combined;
    if (combined) estimates.push_back(combined->estimate);
    report::Section section = section_of(title, "", gpu.recording, std::move(estimates), {});
    section.figures = gpu.figures;
    if (combined && combined->meter_j) section.metered = Joules(*combined->meter_j);
    page.sections.push_back(std::move(section));
  }
  report::Section& first = page.sections.front();
  if (analyzed.meter) {
    report::Curve meter{.name = "meter"};
    for (const trace::MeterSample& sample : analyzed.meter->samples) {
      meter.points.push_back({seconds_between(first.origin, sample.time), sample.power_w});
    }
    first.curves.push_back(std::move(meter));
  }
  report::Table labels = labels_table(analyzed.analysis);
  if (!labels.rows.empty()) page.results.push_back(std::move(labels));
  if (analyzed.analysis.windows.size() > analyzed.gpus.size() ||
      !analyzed.analysis.totals.empty()) {
    page.results.push_back(windows_table(analyzed.analysis));
  }
  first.tables.push_back(sources_table(analyzed.analysis));
  return page;
}

}  // namespace truewatt::cli
