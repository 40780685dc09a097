#include "truewatt/devices/recorded_input.hpp"

#include <fmt/format.h>

#include "truewatt/store/run_file.hpp"
#include "truewatt/trace/formats/recording_file.hpp"

namespace truewatt::devices {
namespace {

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
    if (is_host(run.recording.device)) continue;  // beside the GPUs
    for (const Trace& trace : run.recording.traces) loaded.rows += trace.samples.size();
    loaded.recordings.push_back(std::move(run.recording));
  }
  if (!file->finished) loaded.warnings.push_back("the run file was not finished by its writer");
  return loaded;
}

/// What --windows and --meter add to a run file.
Result<void> add_to_run_file(Loaded& loaded, const std::optional<trace::WindowList>& windows,
                             const RecordedInputOptions& options) {
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

Result<Loaded> load(const std::filesystem::path& path, const RecordedInputOptions& options) {
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
  return Loaded{data->format,   std::move(data->recordings), std::move(data->meter), data->rows,
                data->bad_rows, std::move(data->warnings)};
}

}  // namespace

Result<RecordedInput> read_recorded_input(const std::filesystem::path& path,
                                          const RecordedInputOptions& options) {
  auto loaded = load(path, options);
  if (!loaded) return Unexpected(loaded.error());
  auto chosen = choose(std::move(loaded->recordings), options.device);
  if (!chosen) return Unexpected(chosen.error());
  RecordedInput input{.format = loaded->format,
                      .recording = std::move(chosen->recording),
                      .meter = std::move(loaded->meter),
                      .rows = loaded->rows,
                      .bad_rows = loaded->bad_rows,
                      .notes = std::move(chosen->notes)};
  input.notes.insert(input.notes.end(), loaded->warnings.begin(), loaded->warnings.end());
  return input;
}

}  // namespace truewatt::devices
