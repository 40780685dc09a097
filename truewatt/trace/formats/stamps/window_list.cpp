#include "truewatt/trace/formats/stamps/window_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "truewatt/trace/formats/stamps/log_stamp.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

constexpr std::string_view kDefaultLabel = "load";

struct WindowColumns {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<std::size_t> label;
};

/// The column of the first of `titles` that is there.
std::optional<std::size_t> find_cell(const std::vector<std::string_view>& cells,
                                     std::span<const std::string_view> titles) {
  for (const std::string_view title : titles) {
    const auto found = std::find(cells.begin(), cells.end(), title);
    if (found != cells.end()) return static_cast<std::size_t>(found - cells.begin());
  }
  return std::nullopt;
}

std::optional<WindowColumns> parse_header(const std::vector<std::string_view>& cells) {
  constexpr std::array<std::string_view, 4> kBegin = {"begin_s", "begin", "start_s", "start"};
  constexpr std::array<std::string_view, 4> kEnd = {"end_s", "end", "stop_s", "stop"};
  constexpr std::array<std::string_view, 2> kLabel = {"label", "name"};
  const auto begin = find_cell(cells, kBegin);
  const auto end = find_cell(cells, kEnd);
  if (!begin || !end) return std::nullopt;
  return WindowColumns{*begin, *end, find_cell(cells, kLabel)};
}

/// What the times of a windows file count from.
enum class TimeBase { first_reading, utc, local };

constexpr std::string_view words(TimeBase base) {
  switch (base) {
    case TimeBase::first_reading:
      return "seconds since the first reading";
    case TimeBase::utc:
      return "times since the epoch";
    case TimeBase::local:
      break;
  }
  return "local times";
}

struct Moment {
  Nanoseconds at{0};
  TimeBase base = TimeBase::first_reading;
};

std::optional<Moment> parse_moment(std::string_view cell) {
  if (const auto seconds = parse_seconds(cell)) {
    return Moment{*seconds, is_epoch(*seconds) ? TimeBase::utc : TimeBase::first_reading};
  }
  // Milliseconds and less since the epoch are more than seconds hold.
  const auto stamp = parse_log_stamp(cell);
  if (!stamp) return std::nullopt;
  return Moment{stamp->time.time_since_epoch(), stamp->offset ? TimeBase::utc : TimeBase::local};
}

Unexpected bad_line(const LineReader& reader, std::string_view why) {
  return Unexpected(Errc::parse, fmt::format("windows file, line {}: {} {}", reader.number(),
                                             quote(reader.line()), why));
}

/// One row, as a distance from where its times count from.
struct Row {
  RelativeWindow window;
  TimeBase base = TimeBase::first_reading;
};

Result<Row> parse_row(const LineReader& reader, const WindowColumns& columns,
                      const std::vector<std::string_view>& cells) {
  if (cells.size() <= std::max(columns.begin, columns.end)) {
    return bad_line(reader, "lacks a column; expected begin_s and end_s");
  }
  const auto begin = parse_moment(cells[columns.begin]);
  const auto end = parse_moment(cells[columns.end]);
  if (!begin || !end) return bad_line(reader, "is not two times, in seconds or with a date");
  if (begin->base != end->base) {
    return bad_line(reader, fmt::format("mixes {} with {}", words(begin->base), words(end->base)));
  }
  if (end->at <= begin->at)
    return bad_line(reader, "does not end after it begins; correct it, or leave the line out");
  const bool has_label = columns.label && *columns.label < cells.size();
  const std::string_view label = has_label ? cells[*columns.label] : kDefaultLabel;
  return Row{{begin->at, end->at, std::string(label.empty() ? kDefaultLabel : label)}, begin->base};
}

Result<std::vector<Row>> parse_rows(LineReader& reader, const WindowColumns& columns,
                                    char separator) {
  std::vector<Row> rows;
  std::vector<std::string_view> cells;
  while (reader.next()) {
    if (reader.line().empty()) continue;
    split_cells(reader.line(), cells, separator);
    auto row = parse_row(reader, columns, cells);
    if (!row) return Unexpected(row.error());
    if (!rows.empty() && row->base != rows.front().base) {
      return bad_line(reader, fmt::format("is in {}, the windows above are in {}", words(row->base),
                                          words(rows.front().base)));
    }
    rows.push_back(*std::move(row));
  }
  return rows;
}

WindowList as_list(std::vector<Row> rows) {
  const TimeBase base = rows.front().base;
  std::vector<RelativeWindow> relative;
  std::vector<AbsoluteWindow> absolute;
  for (auto& [window, of] : rows) {
    if (base == TimeBase::first_reading) {
      relative.push_back(std::move(window));
    } else {
      absolute.push_back(
          {DriverTime(window.begin), DriverTime(window.end), std::move(window.label)});
    }
  }
  if (base == TimeBase::first_reading) return {std::move(relative), false};
  return {std::move(absolute), false, base == TimeBase::local};
}

Result<WindowList> list_of_events(std::string_view text) {
  const auto events = parse_event_stamps(text);
  if (!events) return Unexpected(events.error());
  return load_windows(*events);
}

/// Event stamps are one number a line; anything with a comma was meant as begin and end.
Unexpected no_header(std::string_view first_line) {
  return Unexpected(
      Errc::parse,
      fmt::format("windows file: {} is not a header line; expected 'begin_s,end_s' above "
                  "the windows, or event stamps, one a line",
                  quote(first_line)));
}

}  // namespace

Result<WindowList> read_windows(std::string_view text, char separator) {
  text = skip_byte_order_mark(text);
  LineReader reader(text);
  do {
    if (!reader.next()) return Unexpected(Errc::insufficient_data, "the windows file is empty");
  } while (reader.line().empty());
  std::vector<std::string_view> cells;
  split_cells(reader.line(), cells, separator);
  const auto columns = parse_header(cells);
  if (!columns) return cells.size() > 1 ? no_header(reader.line()) : list_of_events(text);
  auto rows = parse_rows(reader, *columns, separator);
  if (!rows) return Unexpected(rows.error());
  if (rows->empty()) {
    return Unexpected(Errc::insufficient_data, "the windows file has a header and no window");
  }
  return as_list(*std::move(rows));
}

Result<WindowList> without_daylight_saving(WindowList list,
                                           std::span<const ClockSetting> settings) {
  auto* windows = std::get_if<std::vector<AbsoluteWindow>>(&list.windows);
  if (!list.are_local || windows == nullptr) return list;
  constexpr Nanoseconds kHour = std::chrono::hours(1);
  for (AbsoluteWindow& window : *windows) {
    for (DriverTime* time : {&window.begin, &window.end}) {
      const DriverTime written = *time;
      for (const ClockSetting& setting : settings) {
        const bool is_back = setting.below < setting.above;
        if (is_back && written >= setting.below && written <= setting.above) {
          return Unexpected(
              Errc::ill_conditioned,
              fmt::format("window {} begins or ends in the hour that this log has twice, as its "
                          "local clock was set back; add their offset to the windows, such as "
                          "+01:00 or Z",
                          quote(window.label)));
        }
        if (written >= setting.below) *time += is_back ? kHour : -kHour;
      }
    }
  }
  return list;
}

WindowList in_utc(WindowList list, std::chrono::minutes offset) {
  auto* windows = std::get_if<std::vector<AbsoluteWindow>>(&list.windows);
  if (!list.are_local || windows == nullptr) return list;
  for (AbsoluteWindow& window : *windows) {
    window.begin -= offset;
    window.end -= offset;
  }
  list.are_local = false;
  return list;
}

WindowList load_windows(const EventStamps& events) {
  std::vector<AbsoluteWindow> windows;
  for (const DriverSpan& interval : events.load) {
    windows.push_back({interval.begin, interval.end, std::string(kDefaultLabel)});
  }
  return {std::move(windows), true};
}

std::optional<HostTime> first_of_all(const std::vector<Recording>& recordings) {
  std::optional<HostTime> first;
  for (const Recording& recording : recordings) {
    const auto one = first_reading(recording);
    if (one && (!first || *one < *first)) first = *one;
  }
  return first;
}

Result<std::vector<Window>> place_windows(const WindowList& list, const Recording& recording,
                                          std::optional<HostTime> from) {
  std::vector<Window> placed;
  if (const auto* relative = std::get_if<std::vector<RelativeWindow>>(&list.windows)) {
    const auto origin = from ? Result<HostTime>(*from) : first_reading(recording);
    if (!origin) return Unexpected(origin.error());
    for (const RelativeWindow& window : *relative) {
      placed.push_back({*origin + window.begin, *origin + window.end, window.label});
    }
    return placed;
  }
  if (list.are_local) {
    return Unexpected(Errc::invalid_argument,
                      "the windows' times do not say their offset from UTC, by which the readings "
                      "go; add Z or +01:00 to them, or give --utc-offset");
  }
  const ClockAlignment clock(recording.clock_pairs);
  if (clock.empty()) {
    return Unexpected(Errc::unsupported,
                      "the windows are epoch times, and the recording does not say how its clock "
                      "stands to the epoch; give them in seconds since its first reading");
  }
  for (const AbsoluteWindow& window : std::get<std::vector<AbsoluteWindow>>(list.windows)) {
    placed.push_back({*clock.to_host(window.begin), *clock.to_host(window.end), window.label});
  }
  return placed;
}

std::optional<std::string> windows_beyond(const Recording& recording) {
  if (recording.traces.empty()) return std::nullopt;
  HostTime begin = recording.traces.front().begin;
  HostTime end = recording.traces.front().end;
  for (const Trace& trace : recording.traces) {
    begin = std::min(begin, trace.begin);
    end = std::max(end, trace.end);
  }
  const auto outside =
      std::count_if(recording.windows.begin(), recording.windows.end(),
                    [&](const Window& window) { return window.begin < begin || window.end > end; });
  if (outside == 0) return std::nullopt;
  return fmt::format("{} of {} windows reach beyond the readings, which cover {:.4g} s", outside,
                     recording.windows.size(), seconds_between(begin, end));
}

std::vector<DriverTime> edges_of(const WindowList& list) {
  const auto* absolute = std::get_if<std::vector<AbsoluteWindow>>(&list.windows);
  if (absolute == nullptr || list.are_local) return {};
  std::vector<AbsoluteWindow> sorted = *absolute;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::vector<DriverTime> edges;
  for (const AbsoluteWindow& window : sorted) {
    if (!edges.empty() && window.begin <= edges.back()) {
      edges.back() = std::max(edges.back(), window.end);
    } else {
      edges.insert(edges.end(), {window.begin, window.end});
    }
  }
  return edges;
}

}  // namespace truewatt::trace
