#include "truewatt/devices/recorded_input.hpp"

#include <fmt/format.h>

#include "truewatt/store/run_file.hpp"
#include "truewatt/trace/formats/recording_file.hpp"
#include "truewatt/trace/formats/stamps/utc_alignment.hpp"

namespace truewatt::devices {
namespace {

/// Leaves the GPU that was asked for.
Result<void> choose(std::vector<Recording>& recordings, int device) {
  for (Recording& recording : recordings) {
    if (recording.device.index != device) continue;
    Recording chosen = std::move(recording);
    recordings.clear();
    recordings.push_back(std::move(chosen));
    return {};
  }
  std::vector<int> known;
  for (const Recording& recording : recordings) known.push_back(recording.device.index);
  return Unexpected(Errc::invalid_argument,
                    fmt::format("the recording has no GPU {}; its GPUs have the indices {}", device,
                                fmt::join(known, ", ")));
}

/// Leaves the first GPU; says so where there are more.
void keep_first(RecordedGpus& gpus, std::string_view why) {
  const std::size_t count = gpus.recordings.size();
  if (count < 2) return;
  gpus.recordings.resize(1);
  const std::string& name = gpus.recordings.front().device.name;
  gpus.notes.insert(
      gpus.notes.begin(),
      fmt::format("{} GPUs in the recording; this is the first{}{}{}. Choose with "
                  "--device INDEX.",
                  count, name.empty() ? "" : ", " + name, why.empty() ? "" : ": ", why));
}

/// The rule by which an estimate's baseline is found again; the one before a window needs none.
energy::BaselineRule rule_of(const energy::EnergyEstimate& estimate) {
  const auto kind = estimate.baseline_kind;
  if (!kind || !estimate.baseline || kind == energy::BaselineKind::before) return {};
  return {.kind = kind, .given = *estimate.baseline};
}

Result<RecordedGpus> load_run_file(const std::filesystem::path& path) {
  auto file = store::read_run_file(path);
  if (!file) return Unexpected(file.error());
  RecordedGpus loaded{.format = "run file"};
  for (store::DeviceRun& run : file->devices) {
    if (is_host(run.recording.device)) continue;  // beside the GPUs
    for (const Trace& trace : run.recording.traces) loaded.rows += trace.samples.size();
    loaded.recordings.push_back(std::move(run.recording));
    for (const energy::EnergyEstimate& estimate : run.estimates) {
      if (!loaded.baseline.kind) loaded.baseline = rule_of(estimate);
    }
  }
  if (!file->finished) loaded.notes.push_back("the run file was not finished by its writer");
  return loaded;
}

/// What --windows and --meter add to a run file.
Result<void> add_to_run_file(RecordedGpus& loaded, const std::optional<trace::WindowList>& windows,
                             const RecordedInputOptions& options) {
  for (Recording& recording : loaded.recordings) {
    if (windows) {
      auto placed =
          trace::place_windows(*windows, recording, trace::first_of_all(loaded.recordings));
      if (!placed) return Unexpected(placed.error());
      recording.windows = std::move(*placed);
      if (auto beyond = trace::windows_beyond(recording)) loaded.notes.push_back(*beyond);
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

Result<RecordedGpus> load(const std::filesystem::path& path, const RecordedInputOptions& options) {
  trace::RecordedOptions recorded{.utc_offset = options.utc_offset};
  recorded.meter_file = options.meter;
  if (options.windows) {
    auto windows = trace::read_windows_file(*options.windows);
    if (!windows) return Unexpected(windows.error());
    recorded.windows = options.utc_offset ? trace::in_utc(std::move(*windows), *options.utc_offset)
                                          : std::move(*windows);
  }
  auto data = trace::read_recorded(path, recorded);
  if (!data && data.error().code == Errc::unsupported) {
    auto loaded = load_run_file(path);
    if (!loaded && loaded.error().code == Errc::parse) {
      return Unexpected(Errc::parse,
                        fmt::format("{}, nor another recording that can be read: an nvidia-smi "
                                    "--format=csv log with a timestamp and a power column, an H200 "
                                    "trace, or a folder with gpudata.csv, timestamps.csv and "
                                    "PMD_data.bin",
                                    loaded.error().message));
    }
    if (!loaded) return Unexpected(loaded.error());
    if (const auto added = add_to_run_file(*loaded, recorded.windows, options); !added) {
      return Unexpected(added.error());
    }
    return loaded;
  }
  if (!data) return Unexpected(data.error());
  return RecordedGpus{
      .format = data->format,
      .recordings = std::move(data->recordings),
      .meter = std::move(data->meter),
      .rows = data->rows,
      .bad_rows = data->bad_rows,
      .utc_offset = data->utc_offset ? trace::format_utc_offset(*data->utc_offset) : std::string(),
      .utc_offset_from = data->utc_offset_from,
      .notes = std::move(data->warnings)};
}

}  // namespace

Result<RecordedGpus> read_recorded_gpus(const std::filesystem::path& path,
                                        const RecordedInputOptions& options) {
  auto gpus = load(path, options);
  if (!gpus) return gpus;
  if (gpus->recordings.empty()) {
    return Unexpected(Errc::insufficient_data, "the recording holds no device");
  }
  if (options.device) {
    if (const auto good = choose(gpus->recordings, *options.device); !good) {
      return Unexpected(good.error());
    }
  }
  if (gpus->meter) keep_first(*gpus, "a meter is of one");
  return gpus;
}

Result<RecordedInput> read_recorded_input(const std::filesystem::path& path,
                                          const RecordedInputOptions& options) {
  auto gpus = read_recorded_gpus(path, options);
  if (!gpus) return Unexpected(gpus.error());
  keep_first(*gpus, "");
  return RecordedInput{.format = std::move(gpus->format),
                       .recording = std::move(gpus->recordings.front()),
                       .meter = std::move(gpus->meter),
                       .rows = gpus->rows,
                       .bad_rows = gpus->bad_rows,
                       .notes = std::move(gpus->notes)};
}

}  // namespace truewatt::devices
