#include "truewatt/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "truewatt/calibrate/calibration_levels.hpp"

namespace truewatt::calibrate {
namespace {

/// A board's meter does not see its memory or the CPU beside it apart.
bool is_seen_by_meter(SourceId source) {
  return source.scope == Scope::gpu || source.scope == Scope::module;
}

std::set<SourceId> sources_of(const std::vector<MeteredRecording>& recordings) {
  std::set<SourceId> sources;
  for (const MeteredRecording& metered : recordings) {
    for (const Trace& trace : metered.recording.traces) {
      if (is_seen_by_meter(trace.source)) sources.insert(trace.source);
    }
  }
  return sources;
}

/// The device of all recordings. A log that does not name its GPU may be of any.
Result<DeviceIdentity> device_of(const std::vector<MeteredRecording>& recordings) {
  DeviceIdentity device;
  for (const MeteredRecording& metered : recordings) {
    const DeviceIdentity& other = metered.recording.device;
    if (!device.uuid.empty() && !other.uuid.empty() && device.uuid != other.uuid) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("the recordings are of different GPUs, {} and {}; calibrate "
                                    "one at a time",
                                    device.uuid, other.uuid));
    }
    if (device.uuid.empty()) device = other;
  }
  return device;
}

Result<Calibration> calibrate_source(const std::vector<MeteredRecording>& recordings,
                                     SourceId source, const CalibrateOptions& options) {
  std::vector<MeteredLevel> levels;
  for (const MeteredRecording& metered : recordings) {
    const Trace* trace = find_trace(metered.recording, source);
    if (!trace) continue;
    const auto more = levels_of(*trace, metered.meter, metered.recording.windows);
    levels.insert(levels.end(), more.begin(), more.end());
  }
  auto calibration = fit_calibration(levels, options.accuracy.value_or(kPmdAccuracy));
  if (!calibration) return calibration;
  calibration->source = source;
  calibration->meter = recordings.front().meter.meter;
  calibration->created = options.created;
  if (!options.accuracy && !published_accuracy(calibration->meter)) {
    calibration->reasons.emplace_back(CalibrationReason::meter_accuracy_assumed);
  }
  return calibration;
}

Unexpected in_path(const std::filesystem::path& path, const std::string& what) {
  return {Errc::invalid_argument, fmt::format("{}: {}", path.string(), what)};
}

}  // namespace

Result<CalibrationRun> calibrate_recordings(const std::vector<MeteredRecording>& recordings,
                                            const CalibrateOptions& options) {
  const auto device = device_of(recordings);
  if (!device) return Unexpected(device.error());
  CalibrationRun run{.device = *device};
  for (const SourceId source : sources_of(recordings)) {
    auto calibration = calibrate_source(recordings, source, options);
    if (!calibration) {
      run.refused.push_back({source, calibration.error().message});
      continue;
    }
    calibration->device = *device;
    run.calibrations.push_back(*std::move(calibration));
  }
  if (!run.calibrations.empty()) return run;
  return Unexpected(Errc::insufficient_data,
                    run.refused.empty() ? "no source of the recording sees the whole board"
                                        : fmt::format("no source can be calibrated: {}: {}",
                                                      to_string(run.refused.front().source),
                                                      run.refused.front().message));
}

Result<CalibrationRun> calibrate_files(const std::vector<std::filesystem::path>& paths,
                                       const devices::RecordedInputOptions& input,
                                       const CalibrateOptions& options) {
  std::vector<MeteredRecording> recordings;
  std::vector<std::string> notes;
  for (const std::filesystem::path& path : paths) {
    auto read = devices::read_recorded_input(path, input);
    if (!read) return Unexpected(read.error());
    for (const std::string& note : read->notes) {
      notes.push_back(fmt::format("{}: {}", path.string(), note));
    }
    if (!read->meter) return in_path(path, "no meter beside it; name its file with --meter");
    if (read->recording.windows.empty()) {
      return in_path(path, "nothing says when a load ran; name the windows with --windows");
    }
    recordings.push_back({std::move(read->recording), std::move(*read->meter)});
  }
  auto run = calibrate_recordings(recordings, options);
  if (run) run->notes.insert(run->notes.begin(), notes.begin(), notes.end());
  return run;
}

}  // namespace truewatt::calibrate
