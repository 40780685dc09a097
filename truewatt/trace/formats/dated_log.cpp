#include "truewatt/trace/formats/dated_log.hpp"

#include <fmt/format.h>

#include "truewatt/trace/formats/log_file.hpp"
#include "truewatt/trace/formats/stamps/utc_alignment.hpp"

namespace truewatt::trace {
namespace {

constexpr std::string_view kLoadLevel = "load";

/// Takes the log to UTC; says in `data` by which offset.
Result<void> place_on_utc(PowerLog& log, const DatedLogOptions& options, RecordedData& data) {
  if (log.utc_offset) {
    data.utc_offset = log.utc_offset;
    data.utc_offset_from = "stamps";
    if (options.utc_offset && *options.utc_offset != *log.utc_offset) {
      const bool is_of_windows = options.windows && options.windows->are_local;
      data.warnings.push_back(
          fmt::format("--utc-offset is {}: the log's stamps say UTC{}",
                      is_of_windows ? "that of the windows' times alone" : "not used",
                      format_utc_offset(*log.utc_offset)));
    }
    return {};
  }
  if (!options.utc_offset && options.events.empty()) return {};
  data.utc_offset = options.utc_offset;
  data.utc_offset_from = "option";
  if (!data.utc_offset) {
    const auto offset = align_utc_offset(log.recordings, options.events);
    if (!offset) return Unexpected(offset.error());
    data.utc_offset = *offset;
    data.utc_offset_from = options.events_are;
    data.warnings.push_back(
        fmt::format("the log's local time was found to be UTC{} from the {}; if it is not, give "
                    "--utc-offset",
                    format_utc_offset(*offset), options.events_are));
  }
  move_to_utc(log, *data.utc_offset);
  return {};
}

std::vector<ActivityInterval> as_activity(const std::vector<Window>& windows) {
  std::vector<ActivityInterval> activity;
  for (const Window& window : windows) {
    activity.push_back({window.begin, window.end, {.what = std::string(kLoadLevel)}});
  }
  return activity;
}

}  // namespace

Result<void> set_windows(RecordedData& data, const WindowList& list) {
  const std::optional<HostTime> origin = first_of_all(data.recordings);
  for (Recording& recording : data.recordings) {
    if (recording.traces.empty()) continue;
    auto windows = place_windows(list, recording, origin);
    if (!windows) return Unexpected(windows.error());
    recording.windows = *std::move(windows);
    if (list.are_load) recording.activity = as_activity(recording.windows);
    auto beyond = windows_beyond(recording);
    if (!beyond) continue;
    if (data.utc_offset) {
      *beyond += fmt::format("; is the log's offset from UTC really {}?",
                             format_utc_offset(*data.utc_offset));
    }
    data.warnings.push_back(*std::move(beyond));
  }
  return {};
}

Result<RecordedData> read_dated_log(std::string_view text, const DatedLogOptions& options) {
  auto file = parse_log_file(text);
  if (!file) return Unexpected(file.error());
  PowerLog& log = file->log;
  RecordedData data;
  data.format = file->format;
  data.rows = log.rows;
  data.bad_rows = log.bad_rows;
  const auto placed = place_on_utc(log, options, data);
  if (!placed) return Unexpected(placed.error());
  data.recordings = std::move(log.recordings);
  for (const auto* told : {&log.notes, &log.warnings}) {
    data.warnings.insert(data.warnings.end(), told->begin(), told->end());
  }
  if (!options.windows) return data;
  WindowList windows = *options.windows;
  if (!log.utc_offset) {  // one clock wrote both
    auto undone = without_daylight_saving(std::move(windows), log.clock_settings);
    if (!undone) return Unexpected(undone.error());
    windows = *std::move(undone);
    windows = in_utc(std::move(windows), data.utc_offset.value_or(std::chrono::minutes(0)));
  }
  const auto set = set_windows(data, windows);
  if (!set) return Unexpected(set.error());
  return data;
}

}  // namespace truewatt::trace
