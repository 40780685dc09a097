#include "truewatt/trace/formats/sc24_folder.hpp"

#include <fmt/format.h>

#include "truewatt/trace/formats/dated_log.hpp"
#include "truewatt/trace/formats/read_file.hpp"
#include "truewatt/trace/formats/stamps/event_stamps.hpp"

namespace truewatt::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLogFile = "gpudata.csv";
constexpr const char* kEventsFile = "timestamps.csv";
constexpr const char* kMeterFile = "PMD_data.bin";

/// A file that may be missing: no value then, an error when it is there and cannot be read.
Result<std::optional<std::string>> read_optional(const fs::path& path) {
  auto content = read_file(path);
  if (content) return std::optional(*std::move(content));
  if (content.error().code == Errc::unavailable) return std::optional<std::string>();
  return Unexpected(content.error());
}

Result<std::optional<EventStamps>> read_events(const fs::path& path) {
  const auto text = read_optional(path);
  if (!text) return Unexpected(text.error());
  if (!*text) return std::optional<EventStamps>();
  auto events = parse_event_stamps(**text);
  if (!events) return in_file(path, events.error());
  return std::optional(*std::move(events));
}

Result<std::optional<DriverTime>> read_meter_start(const fs::path& path) {
  const auto text = read_optional(path);
  if (!text) return Unexpected(text.error());
  if (!*text) return std::optional<DriverTime>();
  const auto start = parse_pmd_start(**text);
  if (!start) return in_file(path, start.error());
  return std::optional(*start);
}

Result<std::optional<MeterTrace>> read_meter_data(const fs::path& path, PmdDumpOptions options,
                                                  std::optional<DriverTime> start) {
  const auto bytes = read_optional(path);
  if (!bytes) return Unexpected(bytes.error());
  if (!*bytes) return std::optional<MeterTrace>();
  if (!start) {
    return Unexpected(Errc::unavailable, fmt::format("{} has no {} beside it, so its time is not "
                                                     "known",
                                                     path.string(), kMeterStartFile));
  }
  options.start = *start;
  auto meter = parse_pmd_dump(**bytes, options);
  if (!meter) return in_file(path, meter.error());
  return std::optional(*std::move(meter));
}

void warn(RecordedData& data, const Error& error) {
  data.warnings.push_back("the meter is left out: " + error.message);
}

/// The dump's axis is UTC, as is the log's unless the log's clock was set back.
void add_meter(RecordedData& data, const fs::path& folder, const PmdDumpOptions& options,
               std::optional<DriverTime> start) {
  auto meter = read_meter_data(folder / kMeterFile, options, start);
  if (!meter) return warn(data, meter.error());
  if (!*meter) return;
  auto placed = place_meter(**std::move(meter), reference_recording(data));
  if (!placed) return warn(data, placed.error());
  data.warnings.insert(data.warnings.end(), placed->warnings.begin(), placed->warnings.end());
  data.meter = *std::move(placed);
}

DatedLogOptions dating(const FolderOptions& options, const std::optional<EventStamps>& events,
                       std::optional<DriverTime> meter_start) {
  DatedLogOptions dated{.utc_offset = options.utc_offset, .windows = options.windows};
  if (events) {
    dated.events = events->edges;
    if (!dated.windows) dated.windows = load_windows(*events);
  } else if (meter_start) {
    dated.events = {*meter_start};
    dated.events_are = "meter";
  }
  return dated;
}

}  // namespace

Result<RecordedData> read_folder(const fs::path& folder, const FolderOptions& options) {
  std::error_code error;
  if (!fs::exists(folder / kLogFile, error)) {
    return Unexpected(Errc::unavailable,
                      fmt::format("{} is a folder without {}; name a log or a recording in it",
                                  folder.string(), kLogFile));
  }
  const auto text = read_file(folder / kLogFile);
  if (!text) return Unexpected(text.error());
  const auto events = read_events(folder / kEventsFile);
  if (!events) return Unexpected(events.error());
  const auto start = read_meter_start(folder / kMeterStartFile);

  auto data = read_dated_log(*text, dating(options, *events, start ? *start : std::nullopt));
  if (!data) return in_file(folder / kLogFile, data.error());
  data->format = "sc24 folder";
  if (start) {
    add_meter(*data, folder, options.meter, *start);
  } else {
    warn(*data, start.error());
  }
  return data;
}

}  // namespace truewatt::trace
