#include "truewatt/trace/formats/h200_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/formats/rows/row_tally.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

struct SourceName {
  std::string_view text;
  SourceKind kind;
};
constexpr std::array kSourceNames{
    SourceName{"energy_mJ", SourceKind::energy_counter},
    SourceName{"instant_mW", SourceKind::power_instant},
    SourceName{"average_mW", SourceKind::power_average},
    SourceName{"power_usage_mW", SourceKind::power_usage},
    SourceName{"buffer_mW", SourceKind::power_samples},
};
constexpr double kMilli = 1e-3;
/// A cached reading takes microseconds, a fresh one more than 2 ms.
constexpr Nanoseconds kSameRound = std::chrono::milliseconds(1);
/// Times end in 2100, so that they may be added to.
constexpr std::int64_t kLatestNanoseconds = 4'102'444'800'000'000'000;

enum class Layout { changes, brackets };

std::optional<Layout> layout_of(std::string_view header) {
  if (header == "source,t_ns,value") return Layout::changes;
  if (header == "source,t_prev_poll_ns,t_ns,value") return Layout::brackets;
  return std::nullopt;
}

std::optional<SourceKind> kind_of(std::string_view name) {
  for (const SourceName& source : kSourceNames) {
    if (source.text == name) return source.kind;
  }
  return std::nullopt;
}

std::optional<HostTime> parse_time(std::string_view cell) {
  const auto value = parse_integer<std::int64_t>(cell);
  if (!value || *value < 0 || *value > kLatestNanoseconds) return std::nullopt;
  return HostTime(Nanoseconds(*value));
}

/// One row: what it is about, when, and what it says.
struct Row {
  std::string_view source;
  std::optional<HostTime> previous;  ///< brackets only; absent for a first poll
  HostTime time;
  double value = 0.0;
};

/// Collects rows into a recording. Faults are returned as sentences, "" when there is none.
class TraceRows {
 public:
  explicit TraceRows(Layout layout) : layout_(layout) {}

  std::string read(const std::vector<std::string_view>& cells);
  Recording finish() &&;

 private:
  std::string add(const Row& row, std::string_view value_cell);
  std::string add_reading(const Row& row, SourceKind kind);
  std::string add_load_edge(const Row& row, std::string_view level);
  std::string add_load(HostTime begin, HostTime end, std::string_view level);
  HostTime bracket_begin(const Row& row) const;
  void follow_rounds(HostTime time);
  Trace& trace_of(SourceKind kind);

  Layout layout_;
  Recording recording_;
  std::optional<HostTime> last_polled_;     ///< latest row of any polled source
  std::optional<HostTime> previous_round_;  ///< latest one of a round before the current one
  std::optional<HostTime> load_begin_;
  std::string load_level_;
};

std::string TraceRows::read(const std::vector<std::string_view>& cells) {
  const std::size_t expected = layout_ == Layout::changes ? 3 : 4;
  if (cells.size() != expected) {
    return fmt::format("{} cells instead of {}", cells.size(), expected);
  }
  const auto time = parse_time(cells[expected - 2]);
  const auto value = parse_number(cells.back());
  if (!time) return fmt::format("t_ns is {}", quote(cells[expected - 2]));
  if (!value) return fmt::format("value is {}", quote(cells.back()));
  Row row{cells[0], std::nullopt, *time, *value};
  if (layout_ == Layout::brackets) {
    const auto previous = parse_time(cells[1]);
    if (!previous || *previous > *time) return fmt::format("t_prev_poll_ns is {}", quote(cells[1]));
    if (*previous > HostTime()) row.previous = previous;
  }
  return add(row, cells.back());
}

std::string TraceRows::add(const Row& row, std::string_view value_cell) {
  if (const auto kind = kind_of(row.source)) return add_reading(row, *kind);
  if (row.source == "load" && layout_ == Layout::brackets) {
    return add_load(row.previous.value_or(HostTime()), row.time, value_cell);
  }
  if (row.source == "load_begin" || row.source == "load_end") return add_load_edge(row, value_cell);
  if (row.source == "sm_clock_MHz") {
    recording_.health.push_back({});
    recording_.health.back().time = row.time;
    recording_.health.back().sm_clock_mhz = row.value;
    return "";
  }
  return fmt::format("{} is not a source that is known here", quote(row.source));
}

HostTime TraceRows::bracket_begin(const Row& row) const {
  if (layout_ == Layout::brackets) return row.previous.value_or(row.time);
  const HostTime cap = row.time - kRecorderRound;
  return previous_round_ ? std::max(*previous_round_, cap) : cap;
}

/// Rows of one round follow each other at once.
void TraceRows::follow_rounds(HostTime time) {
  if (last_polled_ && time - *last_polled_ > kSameRound) previous_round_ = last_polled_;
  last_polled_ = time;
}

Trace& TraceRows::trace_of(SourceKind kind) {
  const auto found = std::find_if(recording_.traces.begin(), recording_.traces.end(),
                                  [kind](const Trace& t) { return t.source.kind == kind; });
  if (found != recording_.traces.end()) return *found;
  recording_.traces.emplace_back();
  recording_.traces.back().source = {kind, Scope::gpu};
  return recording_.traces.back();
}

std::string TraceRows::add_reading(const Row& row, SourceKind kind) {
  const bool buffered = comes_in_ring(kind);
  Trace& trace = trace_of(kind);
  const bool backwards = buffered ? !trace.samples.empty() && row.time < trace.samples.back().seen
                                  : last_polled_ && row.time < *last_polled_;
  if (backwards) return fmt::format("t_ns {} is earlier than above", count_ns(row.time));
  Sample sample{row.time, row.time, std::nullopt, kMilli * row.value};
  if (buffered) {
    sample.stamp = DriverTime(row.time.time_since_epoch());
  } else {
    follow_rounds(row.time);
    sample.before =
        trace.samples.empty() ? row.time : std::max(bracket_begin(row), trace.samples.back().seen);
  }
  // Rows of changes that show none are polls.
  const bool changes = buffered || layout_ == Layout::brackets || trace.samples.empty() ||
                       trace.samples.back().value != sample.value;
  if (trace.samples.empty()) trace.begin = row.time;
  trace.end = row.time;
  if (changes) trace.samples.push_back(sample);
  ++trace.polls;
  return "";
}

std::string TraceRows::add_load_edge(const Row& row, std::string_view level) {
  if (row.source == "load_begin") {
    if (load_begin_) return "load_begin follows load_begin";
    load_begin_ = row.time;
    load_level_ = std::string(level);
    return "";
  }
  if (!load_begin_) return "load_end without load_begin";
  const HostTime begin = *load_begin_;
  load_begin_.reset();
  return add_load(begin, row.time, load_level_);
}

std::string TraceRows::add_load(HostTime begin, HostTime end, std::string_view level) {
  if (end <= begin) return "the load ends before it begins";
  if (!recording_.windows.empty() && begin < recording_.windows.back().end) {
    return "the load begins before the one above ended";
  }
  recording_.windows.push_back({begin, end, "load"});
  recording_.activity.push_back({begin, end, {.what = std::string(level)}});
  return "";
}

Recording TraceRows::finish() && {
  std::erase_if(recording_.traces, [](const Trace& trace) { return trace.samples.empty(); });
  for (Trace& trace : recording_.traces) {
    const bool polled = !comes_in_ring(trace.source);
    if (polled) trace.end = std::max(trace.end, *last_polled_);
  }
  if (layout_ == Layout::changes && !recording_.traces.empty()) {
    const HostTime begin = recording_.traces.front().begin;
    recording_.clock_pairs.push_back({begin, DriverTime(begin.time_since_epoch()), Nanoseconds(0)});
  }
  return std::move(recording_);
}

Result<H200Trace> read_rows(LineReader& reader, TraceRows rows) {
  RowTally tally;
  std::vector<std::string_view> cells;
  while (reader.next()) {
    if (reader.line().empty()) continue;
    split_cells(reader.line(), cells);
    const std::string fault = rows.read(cells);
    if (fault.empty()) {
      tally.good();
    } else {
      tally.bad(reader.number(), fault);
    }
  }
  H200Trace trace{std::move(rows).finish(), tally.rows(), tally.bad_rows(), tally.warnings()};
  if (!trace.recording.traces.empty()) return trace;
  return Unexpected(
      Errc::insufficient_data,
      fmt::format("none of the trace's {} rows holds a reading{}", trace.rows + trace.bad_rows,
                  trace.warnings.empty() ? "" : " (" + trace.warnings[0] + ")"));
}

/// The first line without the blanks that a hand may have left around commas.
std::optional<Layout> read_header(LineReader& reader) {
  if (!reader.next()) return std::nullopt;
  std::string header;
  for (const char c : reader.line()) {
    if (c != ' ') header += c;
  }
  return layout_of(header);
}

}  // namespace

Result<H200Trace> parse_h200_trace(std::string_view text) {
  LineReader reader(skip_byte_order_mark(text));
  const auto layout = read_header(reader);
  if (layout) return read_rows(reader, TraceRows(*layout));
  return Unexpected(Errc::parse,
                    fmt::format("{} is not the header line of a recorded trace; expected "
                                "'source,t_ns,value' or 'source,t_prev_poll_ns,t_ns,value'",
                                quote(reader.line())));
}

bool looks_like_h200_trace(std::string_view start) {
  LineReader reader(skip_byte_order_mark(start));
  return read_header(reader).has_value();
}

}  // namespace truewatt::trace
