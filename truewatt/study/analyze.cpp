#include "truewatt/study/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/energy/naive.hpp"
#include "truewatt/energy/ticks.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/store/run_file.hpp"
#include "truewatt/study/source_fit.hpp"
#include "truewatt/trace/recording_file.hpp"

namespace truewatt::study {
namespace {

/// Windows shorter than this have no plateau: a board may rise for 0.3 s and an average cover 1 s.
constexpr double kShortestWithPlateau = 2.5;  // s

std::optional<Interval> interval_of(const std::optional<energy::EnergyInterval>& energy) {
  return energy ? std::optional(energy->interval) : std::nullopt;
}

/// The later half of a window but for its last twelfth: of a 6 s step what paper 000's artifact
/// calls the plateau, 3 to 5.5 s.
PlateauMeans plateau_of(const Trace& trace, const std::optional<trace::MeterTrace>& meter,
                        const Window& window) {
  const Nanoseconds length = window.end - window.begin;
  if (Seconds(length).count() < kShortestWithPlateau) return {};
  const HostTime from = window.begin + length / 2;
  const HostTime to = window.end - length / 12;
  PlateauMeans means{.sensor = energy::mean_held_power(trace, from, to)};
  if (meter) {
    if (const auto joules = trace::meter_energy(*meter, from, to))
      means.meter = *joules / (to - from);
  }
  return means;
}

AnalyzedWindow analyze_window(const Recording& recording, const Trace& trace,
                              const std::optional<trace::MeterTrace>& meter, const Window& window,
                              HostTime origin, const energy::Knowledge& knowledge,
                              energy::EstimateOptions options) {
  options.source = trace.source;
  const auto estimate = energy::estimate_energy(recording, window, knowledge, options);
  AnalyzedWindow result;
  result.begin_s = seconds_between(origin, window.begin);
  result.end_s = seconds_between(origin, window.end);
  result.energy_j = interval_of(estimate.energy);
  result.reasons = estimate.reasons;
  if (const auto naive = energy::naive_energy(trace, window)) result.naive_j = naive->value();
  if (meter) {
    if (const auto joules = trace::meter_energy(*meter, window.begin, window.end)) {
      result.meter_j = joules->value();
    }
  }
  result.plateau = plateau_of(trace, meter, window);
  return result;
}

AnalyzedWhole analyze_whole(const Recording& recording, const std::vector<Window>& windows,
                            const energy::Knowledge& knowledge,
                            const energy::EstimateOptions& options) {
  const Window whole{windows.front().begin, windows.back().end, "whole"};
  const auto estimate = energy::estimate_energy(recording, whole, knowledge, options);
  AnalyzedWhole result;
  result.window_s = estimate.window.count();
  for (const Window& window : windows) result.busy_s += Seconds(window.end - window.begin).count();
  result.window_count = windows.size();
  result.energy_j = interval_of(estimate.energy);
  result.net_energy_j = interval_of(estimate.net_energy);
  if (estimate.baseline) result.baseline_w = estimate.baseline->value();
  result.valid = estimate.valid;
  result.resolved = estimate.resolved;
  result.reasons = estimate.reasons;
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
  const auto first = trace::first_reading(recording);
  return first ? *first : HostTime();
}

struct Chosen {
  Recording recording;
  std::vector<std::string> notes;
};

/// The GPU of a log that was asked for, or its only one.
Result<Chosen> choose(std::vector<Recording> recordings, std::optional<int> device) {
  if (recordings.empty()) {
    return Unexpected(Errc::insufficient_data, "the recording holds no device");
  }
  if (!device) {
    Chosen chosen{std::move(recordings.front()), {}};
    if (recordings.size() > 1) {
      chosen.notes.push_back(
          fmt::format("{} GPUs in the recording; this is the first, {}. Choose "
                      "with --device INDEX.",
                      recordings.size(), chosen.recording.device.name));
    }
    return chosen;
  }
  for (Recording& recording : recordings) {
    if (recording.device.index == *device) return Chosen{std::move(recording), {}};
  }
  return Unexpected(Errc::invalid_argument, fmt::format("the recording has no GPU {}; it has {}",
                                                        *device, recordings.size()));
}

struct Loaded {
  std::string format;
  std::vector<Recording> recordings;
  std::optional<trace::MeterTrace> meter;
  std::uint64_t rows = 0;
  std::uint64_t bad_rows = 0;
  std::vector<std::string> warnings;
};

Result<Loaded> load_run_file(const std::filesystem::path& path) {
  auto file = store::read_run_file(path);
  if (!file) return Unexpected(file.error());
  Loaded loaded{.format = "run file"};
  for (store::DeviceRun& run : file->devices) {
    for (const Trace& trace : run.recording.traces) loaded.rows += trace.samples.size();
    loaded.recordings.push_back(std::move(run.recording));
  }
  if (!file->finished) loaded.warnings.push_back("the run file was not finished by its writer");
  return loaded;
}

/// What --windows and --meter add to a run file.
Result<void> add_to_run_file(Loaded& loaded, const std::optional<trace::WindowList>& windows,
                             const AnalyzeOptions& options) {
  for (Recording& recording : loaded.recordings) {
    if (windows) {
      auto placed = trace::place_windows(*windows, recording);
      if (!placed) return Unexpected(placed.error());
      recording.windows = std::move(*placed);
    }
  }
  if (options.meter && !loaded.recordings.empty()) {
    auto meter = trace::read_meter_file(*options.meter);
    if (!meter) return Unexpected(meter.error());
    auto placed = trace::place_meter(std::move(*meter), loaded.recordings.front());
    if (!placed) return Unexpected(placed.error());
    loaded.meter = std::move(*placed);
  }
  return {};
}

Result<Loaded> load(const std::filesystem::path& path, const AnalyzeOptions& options) {
  trace::RecordedOptions recorded{.utc_offset = options.utc_offset};
  recorded.meter_file = options.meter;
  if (options.windows) {
    auto windows = trace::read_windows_file(*options.windows);
    if (!windows) return Unexpected(windows.error());
    recorded.windows = std::move(*windows);
  }
  auto data = trace::read_recorded(path, recorded);
  if (!data && data.error().code == Errc::unsupported) {
    auto loaded = load_run_file(path);
    if (!loaded) return Unexpected(loaded.error());
    if (const auto added = add_to_run_file(*loaded, recorded.windows, options); !added) {
      return Unexpected(added.error());
    }
    return loaded;
  }
  if (!data) return Unexpected(data.error());
  return Loaded{data->format,   std::move(data->recordings), std::move(data->meter), data->rows,
                data->bad_rows, std::move(data->warnings)};
}

struct LoadedKnowledge {
  std::optional<Profile> profile;
  std::vector<Calibration> calibrations;
};

Result<LoadedKnowledge> load_knowledge(const AnalyzeOptions& options) {
  LoadedKnowledge known;
  if (options.profile) {
    auto profile = store::read_profile(*options.profile);
    if (!profile) return Unexpected(profile.error());
    known.profile = std::move(*profile);
  }
  if (options.calibration) {
    auto calibration = store::read_calibration(*options.calibration);
    if (!calibration) return Unexpected(calibration.error());
    known.calibrations.push_back(std::move(*calibration));
  }
  return known;
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
    source.update_period_s = energy::update_period(energy::publications(trace, origin));
    source.fit = fit_source(trace, recording, meter, source.update_period_s);
    for (const Window& window : windows) {
      source.windows.push_back(
          analyze_window(recording, trace, meter, window, origin, knowledge, options));
    }
    analysis.sources.push_back(std::move(source));
  }
  if (!windows.empty()) {
    analysis.combined = analyze_whole(recording, windows, knowledge, options);
  }
  if (recording.windows.empty()) {
    analysis.notes.push_back(
        "no windows: the whole recording is taken as one; name them with --windows FILE");
  }
  return analysis;
}

Result<AnalyzedRecording> analyze(const std::filesystem::path& path,
                                  const AnalyzeOptions& options) {
  auto loaded = load(path, options);
  if (!loaded) return Unexpected(loaded.error());
  auto chosen = choose(std::move(loaded->recordings), options.device);
  if (!chosen) return Unexpected(chosen.error());
  const auto known = load_knowledge(options);
  if (!known) return Unexpected(known.error());
  AnalyzedRecording result;
  result.analysis = analyze_recording(
      chosen->recording, loaded->meter,
      {known->profile ? &*known->profile : nullptr, known->calibrations}, options.estimate);
  result.analysis.path = path.string();
  result.analysis.format = loaded->format;
  result.analysis.rows = loaded->rows;
  result.analysis.bad_rows = loaded->bad_rows;
  auto& notes = result.analysis.notes;
  notes.insert(notes.begin(), chosen->notes.begin(), chosen->notes.end());
  notes.insert(notes.end(), loaded->warnings.begin(), loaded->warnings.end());
  result.recording = std::move(chosen->recording);
  result.meter = std::move(loaded->meter);
  return result;
}

}  // namespace truewatt::study
