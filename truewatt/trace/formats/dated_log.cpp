#include "truewatt/trace/formats/dated_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/trace/formats/nvidia_smi_log.hpp"
#include "truewatt/trace/formats/utc_alignment.hpp"

namespace truewatt::trace {
namespace {

using std::chrono::minutes;

constexpr std::string_view kLoadLevel = "load";

/// Absent when nothing says what the offset is.
Result<std::optional<minutes>> find_offset(std::string_view text, const DatedLogOptions& options) {
  if (options.utc_offset || options.events.empty()) return options.utc_offset;
  const auto local = parse_nvidia_smi_log(text);
  if (!local) return Unexpected(local.error());
  const auto offset = align_utc_offset(local->recordings, options.events);
  if (!offset) return Unexpected(offset.error());
  return std::optional(*offset);
}

/// From the first to the last reading of any source.
Window extent_of(const Recording& recording) {
  Window extent{recording.traces.front().begin, recording.traces.front().end, ""};
  for (const Trace& trace : recording.traces) {
    extent.begin = std::min(extent.begin, trace.begin);
    extent.end = std::max(extent.end, trace.end);
  }
  return extent;
}

std::size_t count_outside(const Recording& recording) {
  const Window extent = extent_of(recording);
  const auto outside = [&extent](const Window& window) {
    return window.begin < extent.begin || window.end > extent.end;
  };
  return static_cast<std::size_t>(
      std::count_if(recording.windows.begin(), recording.windows.end(), outside));
}

std::vector<ActivityInterval> as_activity(const std::vector<Window>& windows) {
  std::vector<ActivityInterval> activity;
  for (const Window& window : windows) {
    activity.push_back({window.begin, window.end, std::string(kLoadLevel)});
  }
  return activity;
}

}  // namespace

Result<void> set_windows(RecordedData& data, const WindowList& list) {
  for (Recording& recording : data.recordings) {
    if (recording.traces.empty()) continue;
    auto windows = place_windows(list, recording);
    if (!windows) return Unexpected(windows.error());
    recording.windows = *std::move(windows);
    if (list.are_load) recording.activity = as_activity(recording.windows);
    const std::size_t outside = count_outside(recording);
    if (outside == 0) continue;
    data.warnings.push_back(fmt::format(
        "{} of {} windows reach beyond the readings{}", outside, recording.windows.size(),
        data.utc_offset
            ? "; is the log's offset from UTC really " + format_utc_offset(*data.utc_offset) + "?"
            : ""));
  }
  return {};
}

Result<RecordedData> read_dated_log(std::string_view text, const DatedLogOptions& options) {
  const auto offset = find_offset(text, options);
  if (!offset) return Unexpected(offset.error());
  NvidiaSmiLogOptions parsing;
  parsing.utc_offset = offset->value_or(minutes(0));
  auto log = parse_nvidia_smi_log(text, parsing);
  if (!log) return Unexpected(log.error());

  RecordedData data;
  data.format = "nvidia-smi";
  data.recordings = std::move(log->recordings);
  data.utc_offset = *offset;
  data.rows = log->rows;
  data.bad_rows = log->bad_rows;
  data.warnings = std::move(log->warnings);
  if (!*offset) {
    data.warnings.push_back("the log's local time was taken for UTC: nothing says otherwise");
  }
  if (!options.windows) return data;
  const auto set = set_windows(data, *options.windows);
  if (!set) return Unexpected(set.error());
  return data;
}

}  // namespace truewatt::trace
