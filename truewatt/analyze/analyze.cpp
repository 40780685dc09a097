#include "truewatt/analyze/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "truewatt/analyze/default_windows.hpp"
#include "truewatt/calibrate/plateau.hpp"
#include "truewatt/devices/device_knowledge.hpp"
#include "truewatt/energy/aggregate/total.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/energy/observe/placed_readings.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/identification/profile/recording_profile.hpp"
#include "truewatt/identification/profile/source_fit.hpp"
#include "truewatt/measure/estimate_figures.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/trace/formats/stamps/window_list.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::analyze {
namespace {

std::optional<Interval> interval_of(const std::optional<energy::EnergyInterval>& energy) {
  return energy ? std::optional(energy->interval) : std::nullopt;
}

std::optional<double> metered(const std::optional<trace::MeterTrace>& meter, const Window& window) {
  if (!meter) return std::nullopt;
  const auto joules = trace::meter_energy(*meter, window.begin, window.end);
  return joules ? std::optional(joules->value()) : std::nullopt;
}

AnalyzedWindow analyze_window(const energy::EnergyEstimate& estimate, const Trace& trace,
                              const std::optional<trace::MeterTrace>& meter, const Window& window,
                              HostTime origin) {
  AnalyzedWindow result;
  result.begin_s = seconds_between(origin, window.begin);
  result.end_s = seconds_between(origin, window.end);
  result.energy_j = interval_of(estimate.energy);
  result.reasons = estimate.reasons;
  result.profile = estimate.profile;
  if (const auto naive = trace::naive_energy(trace, window)) result.naive_j = naive->value();
  result.meter_j = metered(meter, window);
  result.plateau = calibrate::plateau_of(trace, meter, window);
  return result;
}

/// From the first window's begin to the last one's end.
Window span_of(const std::vector<Window>& windows) {
  Window whole{windows.front().begin, windows.front().end, "whole"};
  for (const Window& window : windows) {
    whole.begin = std::min(whole.begin, window.begin);
    whole.end = std::max(whole.end, window.end);
  }
  return whole;
}

/// Time that is in one window or several.
double busy_of(std::vector<Window> windows) {
  std::sort(windows.begin(), windows.end(),
            [](const Window& a, const Window& b) { return a.begin < b.begin; });
  double busy = 0.0;
  HostTime until = windows.front().begin;
  for (const Window& window : windows) {
    if (window.end <= until) continue;
    busy += seconds_between(std::max(until, window.begin), window.end);
    until = window.end;
  }
  return busy;
}

/// Of labels whose windows overlap.
void note_overlaps(const std::vector<Window>& windows,
                   const std::vector<energy::LabelResult>& labels,
                   std::vector<std::string>& notes) {
  constexpr double kOverlap = 1e-6;  // s
  for (const energy::LabelResult& label : labels) {
    if (label.count < 2) continue;
    std::vector<Window> alike;
    double lengths = 0.0;
    for (const Window& window : windows) {
      if (window.label != label.label) continue;
      alike.push_back(window);
      lengths += seconds_between(window.begin, window.end);
    }
    if (lengths - busy_of(alike) < kOverlap) continue;
    notes.push_back(fmt::format(
        "windows named '{}' overlap: their sum counts twice what two of them share", label.label));
  }
}

/// Windows of one label together; none where every window has its own.
std::vector<energy::LabelResult> labels_of(const std::vector<Window>& windows,
                                           const std::vector<energy::WindowResult>& results,
                                           const energy::EnergyEstimator& estimator) {
  std::vector<energy::LabelResult> labels;
  for (const Window& window : windows) {
    const auto is_it = [&](const auto& one) { return one.label == window.label; };
    if (std::any_of(labels.begin(), labels.end(), is_it)) continue;
    std::vector<Window> alike;
    std::vector<double> joules;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if (windows[i].label != window.label) continue;
      alike.push_back(windows[i]);
      const auto& energy = results[i].estimate.energy;
      if (energy) joules.push_back(energy->interval.value);
    }
    energy::LabelResult label{.label = window.label, .count = alike.size()};
    if (joules.size() == alike.size()) label.energy = estimator.sum(alike);
    if (label.energy) {
      const auto n = static_cast<double>(alike.size());
      const energy::EnergyInterval& sum = *label.energy;
      const double sd = sum.standard_uncertainty / n;
      label.mean = {interval95({sum.interval.value / n, sd}), sd, sum.gain_uncertainty / n};
      if (alike.size() > 1) {
        double squares = 0.0;
        for (const double one : joules) squares += std::pow(one - sum.interval.value / n, 2);
        label.scatter_j = std::sqrt(squares / (n - 1));
      }
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

Result<devices::DeviceKnowledge> load_knowledge(const Recording& recording,
                                                const AnalyzeOptions& options) {
  const DeviceIdentity& identity = recording.device;
  const devices::KnownDevice device{identity,
                                    identity.name.empty() ? "the recorded GPU" : identity.name};
  devices::DeviceKnowledge known;
  const auto profiles = devices::read_profiles(options.profiles);
  if (!profiles) return Unexpected(profiles.error());
  devices::use_named_profile(known, device, *profiles);
  for (const std::filesystem::path& path : options.calibrations) {
    const auto calibration = store::read_calibration(path);
    if (!calibration) return Unexpected(calibration.error());
    devices::use_calibration(known, device, *calibration, path);
  }
  // That a log lacks a column does not say that the driver lacks the source.
  std::vector<SourceId> answering;
  const bool tells_driver =
      std::any_of(recording.traces.begin(), recording.traces.end(), [](const Trace& trace) {
        return trace.source.kind == SourceKind::power_average ||
               trace.source.kind == SourceKind::power_instant;
      });
  if (tells_driver) {
    for (const Trace& trace : recording.traces) answering.push_back(trace.source);
  }
  if (!identity.name.empty()) devices::use_catalogue(known, device, answering);
  return known;
}

bool covers(const energy::Knowledge& knowledge, SourceId source) {
  const bool own = knowledge.profile && find_source(*knowledge.profile, source) != nullptr;
  if (own || knowledge.profile) return own;
  return knowledge.published && find_source(*knowledge.published, source) != nullptr;
}

/// What one source's windows say of the profile: contradicted once is contradicted.
void add_use(std::optional<energy::ProfileUse>& all, const std::optional<energy::ProfileUse>& one) {
  if (!one) return;
  if (!all) all = one;
  if (one->agrees) all->agrees = *one->agrees && all->agrees.value_or(true);
}

/// A sensor that shows one number for long is stuck, or what it sees is.
std::optional<std::string> never_changes(const Trace& trace) {
  constexpr Seconds kLong(10.0);
  const Seconds length(trace.end - trace.begin);
  if (trace.samples.size() != 1 || counts_energy(trace.source) || length < kLong) {
    return std::nullopt;
  }
  return fmt::format(
      "{} shows {:.2f} W from first to last, {:.0f} s: the sensor is stuck, or the GPU did nothing",
      to_string(trace.source), trace.samples.front().value, length.count());
}

/// Readings that are left out are said.
std::optional<std::string> left_out(const Recording& recording, const Trace& trace) {
  const auto found = energy::impossible_readings(recording, trace);
  const std::size_t all = found.above + found.nothing;
  if (all == 0 || all == trace.samples.size()) return std::nullopt;
  std::string what;
  if (found.above > 0) {
    what = fmt::format("{} above {:.0f} W (up to {:.0f} W)", found.above, found.most_w,
                       found.highest_w);
  }
  if (found.nothing > 0) {
    what += fmt::format("{}{} of nothing", what.empty() ? "" : " and ", found.nothing);
  }
  return fmt::format(
      "of {} different readings of {} {} {} left out: this board does not draw that in use",
      trace.samples.size(), to_string(trace.source), what, all == 1 ? "is" : "are");
}

/// An analysis, and what its windows' energies are from: nothing without windows.
struct Estimated {
  Analysis analysis;
  std::optional<energy::EnergyEstimator> estimator;
};

/// Times count from `origin`.
Estimated estimate_all(const Recording& recording, const std::optional<trace::MeterTrace>& meter,
                       HostTime origin, const energy::Knowledge& knowledge,
                       const energy::EstimateOptions& options,
                       const experiment::Progress& progress) {
  Estimated all;
  Analysis& analysis = all.analysis;
  analysis.tool_version = TRUEWATT_VERSION;
  const std::vector<Window> windows = windows_or_all(recording);
  // The GPU's only source has one course, its own.
  const bool is_alone =
      recording.traces.size() == 1 && recording.traces.front().source.scope == Scope::gpu;
  if (is_alone) all.estimator.emplace(recording, knowledge, options, windows);
  std::vector<std::map<std::string, energy::EnergyInterval>> per_source(windows.size());
  const std::size_t parts = recording.traces.size() + 1;
  for (const Trace& trace : recording.traces) {
    const auto done = static_cast<double>(analysis.sources.size()) / static_cast<double>(parts);
    experiment::say(
        progress, done,
        fmt::format("source {} of {}, {}: {} readings", analysis.sources.size() + 1,
                    recording.traces.size(), to_string(trace.source), trace.samples.size()));
    AnalyzedSource source{.source = trace.source, .samples = trace.samples.size()};
    source.update_period_s = energy::seen_period(trace, origin);
    auto fitted = identification::fit_source(trace, recording, meter, source.update_period_s);
    if (auto note = never_changes(trace)) analysis.notes.push_back(*std::move(note));
    if (auto note = left_out(recording, trace)) analysis.notes.push_back(*std::move(note));
    source.fit = fitted.fit;
    source.reasons = std::move(fitted.reasons);
    energy::EstimateOptions by_it = options;
    by_it.source = trace.source;
    by_it.readers.clear();  // they read one source, whichever is looked at: once, of the whole
    std::optional<energy::EnergyEstimator> own;
    if (!is_alone) own.emplace(recording, knowledge, by_it, windows);
    const energy::EnergyEstimator& by_source = is_alone ? *all.estimator : *own;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const auto estimate = by_source.estimate(windows[i]);
      source.windows.push_back(analyze_window(estimate, trace, meter, windows[i], origin));
      add_use(source.profile, source.windows.back().profile);
      const auto& energy = estimate.energy;
      if (energy && trace.source.scope == Scope::gpu) {
        per_source[i].emplace(to_string(trace.source), *energy);
      }
    }
    if (source.profile) source.profile->covers_source = covers(knowledge, trace.source);
    analysis.sources.push_back(std::move(source));
  }
  experiment::say(progress, 1.0 - 1.0 / static_cast<double>(parts),
                  fmt::format("{} window{}", windows.size(), windows.size() == 1 ? "" : "s"));
  if (!windows.empty()) {
    if (!is_alone) all.estimator.emplace(recording, knowledge, options, windows);
    const energy::EnergyEstimator& estimator = *all.estimator;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      analysis.windows.push_back({.label = windows[i].label,
                                  .begin_s = seconds_between(origin, windows[i].begin),
                                  .end_s = seconds_between(origin, windows[i].end),
                                  .estimate = estimator.estimate(windows[i]),
                                  .per_source = std::move(per_source[i])});
    }
    analysis.labels = labels_of(windows, analysis.windows, estimator);
    note_overlaps(windows, analysis.labels, analysis.notes);
    const Window whole = span_of(windows);
    analysis.combined = AnalyzedWhole{.estimate = estimator.estimate(whole),
                                      .busy_s = busy_of(windows),
                                      .window_count = windows.size(),
                                      .meter_j = metered(meter, whole)};
  }
  if (recording.windows.empty() && !windows.empty()) {
    analysis.notes.push_back(note_of_default(windows.front(), recording, origin));
  }
  return all;
}

/// One GPU's results behind those of the GPUs before it.
void add_device(Analysis& all, Analysis one, const DeviceIdentity& identity) {
  const auto device = static_cast<int>(all.devices.size());
  all.devices.push_back({identity, std::move(one.combined)});
  for (AnalyzedSource& source : one.sources) {
    source.device = device;
    all.sources.push_back(std::move(source));
  }
  for (energy::WindowResult& window : one.windows) {
    window.device = device;
    all.windows.push_back(std::move(window));
  }
  for (energy::LabelResult& label : one.labels) {
    label.device = device;
    all.labels.push_back(std::move(label));
  }
  for (std::string& note : one.notes) {
    const auto& notes = all.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) all.notes.push_back(note);
  }
}

/// Sums over the devices, window by window.
std::vector<AnalyzedTotal> totals_of(const Analysis& analysis) {
  std::map<int, std::vector<const energy::WindowResult*>> by_device;
  for (const energy::WindowResult& window : analysis.windows) {
    by_device[window.device].push_back(&window);
  }
  std::vector<AnalyzedTotal> totals;
  if (analysis.devices.size() < 2 || by_device.empty()) return totals;
  const auto& first = by_device.begin()->second;
  for (std::size_t i = 0; i < first.size(); ++i) {
    AnalyzedTotal total{.label = first[i]->label,
                        .begin_s = first[i]->begin_s,
                        .end_s = first[i]->end_s,
                        .energy = {}};
    std::vector<energy::EnergyEstimate> estimates;
    for (const auto& [device, windows] : by_device) {
      if (i >= windows.size()) continue;
      estimates.push_back(windows[i]->estimate);
      total.begin_s = std::min(total.begin_s, windows[i]->begin_s);
      total.end_s = std::max(total.end_s, windows[i]->end_s);
    }
    // A GPU without readings has no window and no energy.
    const bool all = estimates.size() == analysis.devices.size() &&
                     std::all_of(estimates.begin(), estimates.end(),
                                 [](const energy::EnergyEstimate& one) { return one.valid; });
    if (all) total.energy = energy::total_of(estimates);
    totals.push_back(std::move(total));
  }
  return totals;
}

/// One GPU's part of the analysis.
Result<AnalyzedGpu> analyze_gpu(Recording recording, const std::optional<trace::MeterTrace>& meter,
                                HostTime origin, const AnalyzeOptions& options,
                                Analysis& analysis) {
  const auto known = load_knowledge(recording, options);
  if (!known) return Unexpected(known.error());
  const energy::Knowledge knowledge = known->for_estimates();
  AnalyzedGpu gpu;
  // A run file's windows are what somebody measured, which may rest and begin late.
  // Nor are windows that somebody names beside a log: a program's phases lie in them.
  const bool is_named = options.input.windows.has_value() || analysis.format == "run file";
  const bool knows_loads = !is_named || !recording.activity.empty();
  if (knows_loads && options.own_profile) {
    gpu.profile = identification::profile_of_recording(recording);
  }
  Estimated estimated =
      estimate_all(recording, meter, origin, knowledge, options.estimate, options.progress);
  const std::vector<Window> windows = windows_or_all(recording);
  if (options.figures && !windows.empty()) {
    const Window whole = span_of(windows);
    gpu.figures = measure::estimate_figures(recording, *estimated.estimator,
                                            {{whole, estimated.analysis.combined->estimate.method}},
                                            knowledge);
  }
  auto& notes = estimated.analysis.notes;
  notes.insert(notes.end(), known->notes.begin(), known->notes.end());
  add_device(analysis, std::move(estimated.analysis), recording.device);
  gpu.recording = std::move(recording);
  return gpu;
}

}  // namespace

Analysis analyze_recording(const Recording& recording,
                           const std::optional<trace::MeterTrace>& meter,
                           const energy::Knowledge& knowledge,
                           const energy::EstimateOptions& options) {
  return estimate_all(recording, meter, trace::first_of_all({recording}).value_or(HostTime()),
                      knowledge, options, {})
      .analysis;
}

Result<AnalyzedRecording> analyze(const std::filesystem::path& path, const AnalyzeOptions& asked) {
  experiment::say(asked.progress, std::nullopt, "reading " + path.string());
  auto input = devices::read_recorded_gpus(path, asked.input);
  if (!input) return Unexpected(input.error());
  AnalyzeOptions options = asked;
  if (!options.estimate.baseline.kind) options.estimate.baseline = input->baseline;
  AnalyzedRecording result;
  Analysis& analysis = result.analysis;
  analysis.tool_version = TRUEWATT_VERSION;
  analysis.path = path.string();
  analysis.format = input->format;
  analysis.rows = input->rows;
  analysis.bad_rows = input->bad_rows;
  analysis.utc_offset = input->utc_offset;
  analysis.utc_offset_from = input->utc_offset_from;
  analysis.notes = std::move(input->notes);
  const HostTime origin = trace::first_of_all(input->recordings).value_or(HostTime());
  for (Recording& recording : input->recordings) {
    auto gpu = analyze_gpu(std::move(recording), input->meter, origin, options, analysis);
    if (!gpu) return Unexpected(gpu.error());
    result.gpus.push_back(*std::move(gpu));
  }
  if (analysis.devices.size() == 1) analysis.combined = analysis.devices.front().combined;
  std::vector<energy::EnergyEstimate> whole;
  for (const AnalyzedDevice& device : analysis.devices) {
    whole.push_back(device.combined ? device.combined->estimate : energy::EnergyEstimate{});
  }
  analysis.total = energy::total_of(whole);
  analysis.totals = totals_of(analysis);
  result.meter = std::move(input->meter);
  return result;
}

}  // namespace truewatt::analyze
