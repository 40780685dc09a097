#include "truewatt/analyze/analyze.hpp"

#include <algorithm>

#include "truewatt/calibrate/plateau.hpp"
#include "truewatt/devices/device_knowledge.hpp"
#include "truewatt/identification/profile/recording_profile.hpp"
#include "truewatt/identification/profile/source_fit.hpp"
#include "truewatt/measure/estimate_figures.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"
#include "truewatt/trace/formats/window_list.hpp"
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

AnalyzedWindow analyze_window(const Recording& recording, const Trace& trace,
                              const std::optional<trace::MeterTrace>& meter, const Window& window,
                              HostTime origin, const energy::Knowledge& knowledge,
                              energy::EstimateOptions options) {
  options.source = trace.source;
  options.readers.clear();  // they read one source, whichever is looked at: once, of the whole
  const auto estimate = energy::estimate_energy(recording, window, knowledge, options);
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

AnalyzedWhole analyze_whole(const Recording& recording,
                            const std::optional<trace::MeterTrace>& meter,
                            const std::vector<Window>& windows, const energy::Knowledge& knowledge,
                            const energy::EstimateOptions& options) {
  const Window whole{windows.front().begin, windows.back().end, "whole"};
  AnalyzedWhole result{
      .estimate = energy::estimate_energy(recording, whole, knowledge, options),
      .window_count = windows.size(),
      .meter_j = metered(meter, whole),
  };
  for (const Window& window : windows) result.busy_s += Seconds(window.end - window.begin).count();
  return result;
}

/// Without windows the whole recording is one.
std::vector<Window> windows_or_all(const Recording& recording) {
  if (!recording.windows.empty()) return recording.windows;
  std::optional<Window> all;
  for (const Trace& trace : recording.traces) {
    if (trace.samples.empty()) continue;
    if (!all) all = Window{trace.begin, trace.end, "whole recording"};
    all->begin = std::max(all->begin, trace.begin);
    all->end = std::min(all->end, trace.end);
  }
  if (!all || !(all->begin < all->end)) return {};
  return {*all};
}

HostTime origin_of(const Recording& recording) {
  const auto first = first_reading(recording);
  return first ? *first : HostTime();
}

/// The recorded device, and what was named or is published about it.
Result<devices::DeviceKnowledge> load_knowledge(const Recording& recording,
                                                const AnalyzeOptions& options) {
  const DeviceIdentity& identity = recording.device;
  const devices::KnownDevice device{identity,
                                    identity.name.empty() ? "the recorded GPU" : identity.name};
  devices::DeviceKnowledge known;
  if (options.profile) {
    const auto profile = store::read_profile(*options.profile);
    if (!profile) return Unexpected(profile.error());
    devices::use_profile(known, device, *profile, *options.profile);
  }
  for (const std::filesystem::path& path : options.calibrations) {
    const auto calibration = store::read_calibration(path);
    if (!calibration) return Unexpected(calibration.error());
    devices::use_calibration(known, device, *calibration, path);
  }
  std::vector<SourceId> answering;
  for (const Trace& trace : recording.traces) answering.push_back(trace.source);
  if (!identity.name.empty()) devices::use_catalogue(known, device, answering);
  return known;
}

bool covers(const energy::Knowledge& knowledge, SourceId source) {
  const bool own = knowledge.profile && find_source(*knowledge.profile, source) != nullptr;
  if (own || (knowledge.profile && !knowledge.profile_is_recordings)) return own;
  return knowledge.published && find_source(*knowledge.published, source) != nullptr;
}

/// What one source's windows say of the profile: contradicted once is contradicted.
void add_use(std::optional<energy::ProfileUse>& all, const std::optional<energy::ProfileUse>& one) {
  if (!one) return;
  if (!all) all = one;
  if (one->agrees) all->agrees = *one->agrees && all->agrees.value_or(true);
}

}  // namespace

Analysis analyze_recording(const Recording& recording,
                           const std::optional<trace::MeterTrace>& meter,
                           const energy::Knowledge& knowledge,
                           const energy::EstimateOptions& options) {
  Analysis analysis;
  analysis.tool_version = TRUEWATT_VERSION;
  const HostTime origin = origin_of(recording);
  const std::vector<Window> windows = windows_or_all(recording);
  for (const Trace& trace : recording.traces) {
    AnalyzedSource source{.source = trace.source, .samples = trace.samples.size()};
    source.update_period_s = ticks::update_period(ticks::publications(trace, origin));
    auto fitted = identification::fit_source(trace, recording, meter, source.update_period_s);
    source.fit = fitted.fit;
    source.reasons = std::move(fitted.reasons);
    for (const Window& window : windows) {
      source.windows.push_back(
          analyze_window(recording, trace, meter, window, origin, knowledge, options));
      add_use(source.profile, source.windows.back().profile);
    }
    if (source.profile) source.profile->covers_source = covers(knowledge, trace.source);
    analysis.sources.push_back(std::move(source));
  }
  if (!windows.empty()) {
    analysis.combined = analyze_whole(recording, meter, windows, knowledge, options);
  }
  if (recording.windows.empty()) {
    analysis.notes.push_back(
        "no windows: the whole recording is taken as one; name them with --windows FILE");
  }
  return analysis;
}

Result<AnalyzedRecording> analyze(const std::filesystem::path& path,
                                  const AnalyzeOptions& options) {
  auto input = devices::read_recorded_input(path, options.input);
  if (!input) return Unexpected(input.error());
  const auto known = load_knowledge(input->recording, options);
  if (!known) return Unexpected(known.error());
  AnalyzedRecording result;
  energy::Knowledge knowledge = known->for_estimates();
  const bool is_own = knowledge.profile == nullptr;
  // A run file's windows are what somebody measured, which may rest and begin late.
  const bool knows_loads = input->format != "run file" || !input->recording.activity.empty();
  if (knows_loads && (is_own || options.own_profile)) {
    result.profile = identification::profile_of_recording(input->recording);
  }
  std::optional<Profile> own;
  if (is_own && result.profile) {
    own = identification::for_its_own_readings(*result.profile);
    knowledge.profile = &*own;
    knowledge.profile_is_recordings = true;
  }
  result.analysis = analyze_recording(input->recording, input->meter, knowledge, options.estimate);
  const std::vector<Window> windows = windows_or_all(input->recording);
  if (options.figures && !windows.empty()) {
    const Window whole{windows.front().begin, windows.back().end, "whole"};
    result.figures = measure::estimate_figures(
        input->recording, {{whole, result.analysis.combined->estimate.method}}, knowledge);
  }
  result.analysis.path = path.string();
  result.analysis.format = input->format;
  result.analysis.rows = input->rows;
  result.analysis.bad_rows = input->bad_rows;
  auto& notes = result.analysis.notes;
  notes.insert(notes.begin(), input->notes.begin(), input->notes.end());
  notes.insert(notes.end(), known->notes.begin(), known->notes.end());
  result.recording = std::move(input->recording);
  result.meter = std::move(input->meter);
  return result;
}

}  // namespace truewatt::analyze
