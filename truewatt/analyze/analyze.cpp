#include "truewatt/analyze/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "truewatt/analyze/default_windows.hpp"
#include "truewatt/analyze/remarks.hpp"
#include "truewatt/calibrate/plateau.hpp"
#include "truewatt/devices/device_knowledge.hpp"
#include "truewatt/energy/aggregate/total.hpp"
#include "truewatt/energy/estimate/window_results.hpp"
#include "truewatt/energy/observe/placed_readings.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/identification/profile/recording_profile.hpp"
#include "truewatt/identification/profile/source_fit.hpp"
#include "truewatt/measure/estimate_figures.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/trace/condense.hpp"
#include "truewatt/trace/formats/stamps/window_list.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::analyze {
namespace {

/// Of a source, more take memory by the gigabyte.
constexpr std::size_t kMostSamples = 500000;
constexpr const char* kCondensed =
    "the recording is long: samples further than 15 s from all windows' edges were kept as sums of "
    "ten seconds and more";

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
  std::vector<energy::EnergyEstimate> of_only_source;  // by window
  std::vector<std::map<std::string, energy::EnergyInterval>> per_source(windows.size());
  const std::size_t parts = recording.traces.size() + 1;
  for (const Trace& trace : recording.traces) {
    const auto done = static_cast<double>(analysis.sources.size()) / static_cast<double>(parts);
    experiment::say(
        progress, done,
        fmt::format("source {} of {}, {}: {} readings", analysis.sources.size() + 1,
                    recording.traces.size(), to_string(trace.source), samples_of(trace)));
    AnalyzedSource source{.source = trace.source, .samples = samples_of(trace)};
    source.update_period_s = energy::seen_period(trace, origin);
    auto fitted = identification::fit_source(trace, recording, meter, source.update_period_s);
    add_remarks(recording, trace, analysis.notes);
    source.fit = fitted.fit;
    source.reasons = std::move(fitted.reasons);
    energy::EstimateOptions by_it = options;
    by_it.source = trace.source;
    by_it.readers.clear();  // they read one source, whichever is looked at: once, of the whole
    // Only now: it takes the most memory, and what stands above is done with its own.
    std::optional<energy::EnergyEstimator> own;
    std::optional<energy::EnergyEstimator>& by_source = is_alone ? all.estimator : own;
    by_source.emplace(recording, knowledge, is_alone ? options : by_it, windows);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      auto estimate = by_source->estimate(windows[i]);
      source.windows.push_back(analyze_window(estimate, trace, meter, windows[i], origin));
      add_use(source.profile, source.windows.back().profile);
      const auto& energy = estimate.energy;
      if (energy && trace.source.scope == Scope::gpu) {
        per_source[i].emplace(to_string(trace.source), *energy);
      }
      if (is_alone) of_only_source.push_back(std::move(estimate));
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
      analysis.windows.push_back(
          {.label = windows[i].label,
           .begin_s = seconds_between(origin, windows[i].begin),
           .end_s = seconds_between(origin, windows[i].end),
           .estimate = is_alone ? std::move(of_only_source[i]) : estimator.estimate(windows[i]),
           .per_source = std::move(per_source[i])});
    }
    analysis.labels = energy::labels_of(windows, analysis.windows, estimator);
    add_remarks(windows, analysis.labels, analysis.notes);
    const Window whole = span_of(windows);
    const bool is_one = windows.size() == 1;
    analysis.combined = AnalyzedWhole{
        .estimate = is_one ? analysis.windows.front().estimate : estimator.estimate(whole),
        .busy_s = energy::busy_of(windows),
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
  // What is known to have run, or a meter, may be looked at anywhere.
  const bool may_condense = !meter && recording.activity.empty();
  const bool is_long =
      may_condense && condense_far_from(windows_or_all(recording), recording, kMostSamples);
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
  if (is_long) notes.emplace_back(kCondensed);
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
