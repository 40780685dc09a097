#include "truewatt/trace/formats/stamps/event_stamps.hpp"

#include <fmt/format.h>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

/// 1990 and 2100.
constexpr std::int64_t kEarliestMicroseconds = 631'152'000'000'000;
constexpr std::int64_t kLatestMicroseconds = 4'102'444'800'000'000;

bool may_be_header(const LineReader& reader) {
  return reader.number() == 1 && !parse_number(reader.line());
}

Result<std::vector<DriverTime>> read_edges(std::string_view text) {
  std::vector<DriverTime> edges;
  LineReader reader(skip_byte_order_mark(text));
  while (reader.next()) {
    if (reader.line().empty() || may_be_header(reader)) continue;
    const auto stamp = parse_event_stamp(reader.line());
    if (!stamp) {
      return Unexpected(Errc::parse,
                        fmt::format("line {}: {} is not an event stamp; expected whole "
                                    "microseconds since the epoch",
                                    reader.number(), quote(reader.line())));
    }
    if (!edges.empty() && *stamp < edges.back()) {
      return Unexpected(Errc::parse,
                        fmt::format("line {}: event stamp {} is earlier than the one above; sort "
                                    "the edges by time",
                                    reader.number(), reader.line()));
    }
    if (edges.empty() || *stamp > edges.back()) edges.push_back(*stamp);
  }
  return edges;
}

}  // namespace

std::optional<DriverTime> parse_event_stamp(std::string_view text) {
  const auto value = parse_integer<std::int64_t>(trim(text));
  if (!value || *value < kEarliestMicroseconds || *value > kLatestMicroseconds) return std::nullopt;
  return DriverTime(std::chrono::microseconds(*value));
}

Result<EventStamps> parse_event_stamps(std::string_view text) {
  auto edges = read_edges(text);
  if (!edges) return Unexpected(edges.error());
  if (edges->size() < 2) {
    return Unexpected(
        Errc::insufficient_data,
        fmt::format("{} event stamps (a number a line, a load's begin and its end), and no header; "
                    "windows are rows under the header begin_s,end_s,label",
                    edges->size()));
  }
  EventStamps stamps{*std::move(edges), {}};
  for (std::size_t i = 0; i + 1 < stamps.edges.size(); i += 2) {
    stamps.load.push_back({stamps.edges[i], stamps.edges[i + 1]});
  }
  return stamps;
}

}  // namespace truewatt::trace
