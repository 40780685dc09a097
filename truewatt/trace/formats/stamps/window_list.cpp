#include "truewatt/trace/formats/stamps/window_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

constexpr std::string_view kDefaultLabel = "load";

struct WindowColumns {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<std::size_t> label;
};

std::optional<std::size_t> find_cell(const std::vector<std::string_view>& cells,
                                     std::string_view title) {
  const auto found = std::find(cells.begin(), cells.end(), title);
  if (found == cells.end()) return std::nullopt;
  return static_cast<std::size_t>(found - cells.begin());
}

std::optional<WindowColumns> parse_header(const std::vector<std::string_view>& cells) {
  const auto begin = find_cell(cells, "begin_s");
  const auto end = find_cell(cells, "end_s");
  if (!begin || !end) return std::nullopt;
  return WindowColumns{*begin, *end, find_cell(cells, "label")};
}

Unexpected bad_line(const LineReader& reader, std::string_view why) {
  return Unexpected(Errc::parse, fmt::format("windows file, line {}: {} {}", reader.number(),
                                             quote(reader.line()), why));
}

/// One row; both kinds of window are first read as a distance from their origin.
Result<RelativeWindow> parse_row(const LineReader& reader, const WindowColumns& columns,
                                 const std::vector<std::string_view>& cells) {
  if (cells.size() <= std::max(columns.begin, columns.end)) {
    return bad_line(reader, "lacks a column; expected begin_s and end_s");
  }
  const auto begin = parse_seconds(cells[columns.begin]);
  const auto end = parse_seconds(cells[columns.end]);
  if (!begin || !end) return bad_line(reader, "is not two times in seconds");
  if (*end <= *begin) return bad_line(reader, "ends before it begins");
  if (is_epoch(*begin) != is_epoch(*end)) {
    return bad_line(reader, "mixes seconds since the first reading with seconds since the epoch");
  }
  const bool has_label = columns.label && *columns.label < cells.size();
  const std::string_view label = has_label ? cells[*columns.label] : kDefaultLabel;
  return RelativeWindow{*begin, *end, std::string(label.empty() ? kDefaultLabel : label)};
}

Result<std::vector<RelativeWindow>> parse_rows(LineReader& reader, const WindowColumns& columns) {
  std::vector<RelativeWindow> windows;
  std::vector<std::string_view> cells;
  while (reader.next()) {
    if (reader.line().empty()) continue;
    split_cells(reader.line(), cells);
    auto window = parse_row(reader, columns, cells);
    if (!window) return Unexpected(window.error());
    if (!windows.empty() && is_epoch(window->begin) != is_epoch(windows.front().begin)) {
      return bad_line(reader, "is not counted from where the windows above are");
    }
    windows.push_back(*std::move(window));
  }
  return windows;
}

WindowList as_list(std::vector<RelativeWindow> windows) {
  if (!is_epoch(windows.front().begin)) return {std::move(windows), false};
  std::vector<AbsoluteWindow> absolute;
  for (RelativeWindow& window : windows) {
    absolute.push_back({DriverTime(window.begin), DriverTime(window.end), std::move(window.label)});
  }
  return {std::move(absolute), false};
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

Result<WindowList> read_windows(std::string_view text) {
  text = skip_byte_order_mark(text);
  LineReader reader(text);
  do {
    if (!reader.next()) return Unexpected(Errc::insufficient_data, "the windows file is empty");
  } while (reader.line().empty());
  std::vector<std::string_view> cells;
  split_cells(reader.line(), cells);
  const auto columns = parse_header(cells);
  if (!columns) return cells.size() > 1 ? no_header(reader.line()) : list_of_events(text);
  auto windows = parse_rows(reader, *columns);
  if (!windows) return Unexpected(windows.error());
  if (windows->empty()) {
    return Unexpected(Errc::insufficient_data, "the windows file has a header and no window");
  }
  return as_list(*std::move(windows));
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

std::vector<DriverTime> edges_of(const WindowList& list) {
  const auto* absolute = std::get_if<std::vector<AbsoluteWindow>>(&list.windows);
  if (absolute == nullptr) return {};
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
