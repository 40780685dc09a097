#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/trace/formats/nvidia_smi/dotted_thousands.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_rows.hpp"
#include "truewatt/trace/formats/nvidia_smi/unnamed_units.hpp"
#include "truewatt/trace/formats/rows/plain_table.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

/// The cells of a row; a stamp and a reading may stand with a blank between them, as
/// `echo $(date ...) $(nvidia-smi ...)` writes them.
void split_row(std::string_view line, std::vector<std::string_view>& cells, char separator) {
  split_cells(line, cells, separator);
  if (cells.size() > 1) return;
  for (std::size_t at = line.find(' '); at != std::string_view::npos; at = line.find(' ', at + 1)) {
    if (!parse_log_stamp(line.substr(0, at))) continue;
    const std::string_view rest = trim(line.substr(at));
    if (rest.empty() || rest.find_first_not_of("0123456789.") == 0) continue;
    cells = {line.substr(0, at), rest};
  }
}

bool has_log_time(const std::vector<std::string_view>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](std::string_view cell) { return parse_dated_stamp(cell).has_value(); });
}

/// Power columns under people's own titles: what was taken for what.
void note_guesses(const std::vector<LogColumn>& columns, PowerLog& log) {
  std::string titles;
  for (const LogColumn& column : columns) {
    if (column.is_guess && column.field == LogField::gpu) {
      log.notes.push_back(fmt::format("taken for which GPU a row is of: {}", column.title));
    }
    if (!column.is_guess || column.field != LogField::power) continue;
    titles += fmt::format("{}{} ({})", titles.empty() ? "" : ", ", column.title,
                          column.unit.empty() ? "no unit named: W" : column.unit);
  }
  if (!titles.empty()) log.notes.push_back(fmt::format("taken for power.draw: {}", titles));
  for (const LogColumn& column : columns) {
    if (column.field != LogField::energy) continue;
    log.notes.push_back(fmt::format("taken for the driver's energy counter, in {}: {}",
                                    column.unit.empty() ? "mJ" : column.unit, column.title));
  }
}

/// Numbers that are no dates are seconds; so far apart they may be something else.
std::vector<std::string> doubts_about_slow_rows(const std::vector<LogColumn>& columns,
                                                const PowerLog& log) {
  constexpr double kSlow = 10.0;                                   // s
  constexpr HostTime kFirstDate{std::chrono::seconds(900000000)};  // no number is a date before
  const auto time = std::find_if(columns.begin(), columns.end(), [](const LogColumn& column) {
    return column.field == LogField::timestamp;
  });
  if (time == columns.end() || !time->unit.empty()) return {};
  for (const Recording& recording : log.recordings) {
    for (const Trace& trace : recording.traces) {
      if (trace.polls < 2 || trace.end > kFirstDate) continue;
      const double apart =
          seconds_between(trace.begin, trace.end) / static_cast<double>(trace.polls - 1);
      if (apart < kSlow) continue;
      return {fmt::format(
          "{0} is taken as seconds, a row every {1:.3g} s; if these are milliseconds or "
          "microseconds, call the column {0}_ms or {0}_us",
          time->title, apart)};
    }
  }
  return {};
}

/// Walks down the lines; the columns follow the last header seen.
class LogParser {
 public:
  LogParser(const PowerLogOptions& options, char separator)
      : separator_(separator), builder_(options) {}

  Result<PowerLog> parse(std::string_view text);

 private:
  Result<void> read_line(const LineReader& reader);
  Result<void> read_before_header(const LineReader& reader);
  void read_row(const LineReader& reader);
  bool is_cut(const LineReader& reader) const;
  std::string keep_row();
  void take_columns(std::vector<LogColumn> columns);
  Result<void> check_columns() const;
  Result<PowerLog> finish();

  char separator_;  ///< between cells
  bool is_headerless_ = false;
  std::string above_;  ///< the last line before columns were known
  std::vector<LogColumn> columns_;
  std::vector<std::vector<LogColumn>> by_gpu_;
  std::vector<DottedThousands> thousands_;  ///< by column
  std::vector<std::string_view> cells_;
  std::string_view last_cell_above_;
  LogStampReader stamps_;
  LogRow row_;
  PowerLogBuilder builder_;
};

Result<PowerLog> LogParser::parse(std::string_view text) {
  LineReader reader(text);
  while (reader.next()) {
    const auto done = read_line(reader);
    if (!done) return Unexpected(done.error());
  }
  return finish();
}

Result<void> LogParser::read_line(const LineReader& reader) {
  if (reader.line().empty()) {
    if (reader.held_nul()) builder_.tally().bad(reader.number(), "nothing but NUL bytes");
    return {};
  }
  if (is_headerless_) {
    split_row(reader.line(), cells_, separator_);
  } else {
    split_cells(reader.line(), cells_, separator_);
  }
  if (is_log_header(cells_)) {
    is_headerless_ = false;
    take_columns(*parse_log_header(cells_));
    last_cell_above_ = {};
    return {};
  }
  if (columns_.empty()) return read_before_header(reader);
  read_row(reader);
  return {};
}

Result<void> LogParser::read_before_header(const LineReader& reader) {
  split_row(reader.line(), cells_, separator_);
  if (auto columns = columns_of_row(cells_)) {
    take_columns(*std::move(columns));
    is_headerless_ = true;
    read_row(reader);
    return {};
  }
  if (has_log_time(cells_)) {
    return Unexpected(
        Errc::parse,
        fmt::format("line {} is a row, and the line above does not say what its columns mean, in "
                    "words that are known here; record the log with its header (--format=csv, "
                    "without noheader), or write one above it, such as 'timestamp, power.draw [W]'",
                    reader.number()));
  }
  above_ = reader.line();
  builder_.tally().bad(reader.number(), fmt::format("{} stands before the header", quote(above_)));
  return {};
}

void LogParser::take_columns(std::vector<LogColumn> columns) {
  columns_ = std::move(columns);
  by_gpu_ = columns_by_gpu(columns_);
  thousands_.resize(columns_.size());
}

/// The last line may lack its end, and a cut number still looks like one.
bool LogParser::is_cut(const LineReader& reader) const {
  return !reader.terminated() && !last_cell_above_.empty() && !is_unanswered(last_cell_above_) &&
         !is_unanswered(cells_.back()) && shape_of(cells_.back()) != shape_of(last_cell_above_);
}

void LogParser::read_row(const LineReader& reader) {
  while (cells_.size() > columns_.size() && cells_.back().empty()) cells_.pop_back();
  const std::size_t found = cells_.size();
  if (found > columns_.size()) {
    // 46,25 without quotes is two cells.
    const std::string_view hint = found == columns_.size() + 1
                                      ? "; with decimal commas, write ; between cells"
                                      : std::string_view();
    return builder_.tally().bad(
        reader.number(), fmt::format("{} cells under {} columns{}", found, columns_.size(), hint));
  }
  const bool cut = found < columns_.size() || is_cut(reader);
  if (cut) cells_.pop_back();  // where a line was cut, its last cell was too
  if (!cut) last_cell_above_ = cells_.back();
  const std::string fault = keep_row();
  if (cut) {
    return builder_.tally().bad(
        reader.number(),
        fmt::format("the line is cut after {} of {} columns", cells_.size(), columns_.size()));
  }
  if (!fault.empty()) return builder_.tally().bad(reader.number(), fault);
  builder_.tally().good();
}

/// Keeps what could be read of a row, for each GPU that it is about; returns what could not.
std::string LogParser::keep_row() {
  std::string fault;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const LogColumn& column = columns_[i];
    const bool is_of_watts = column.unit.empty() || column.unit == "W";
    if (column.field == LogField::power && is_of_watts) thousands_[i].see(cells_[i]);
  }
  for (const std::vector<LogColumn>& columns : by_gpu_) {
    read_log_row(columns, cells_, stamps_, row_);
    std::string one = builder_.keep(row_);
    if (fault.empty()) fault = std::move(one);
  }
  return fault;
}

Result<void> LogParser::check_columns() const {
  if (columns_.empty()) {
    return Unexpected(
        Errc::parse,
        "no header line with a 'timestamp' column: this is not an nvidia-smi log; record "
        "one with nvidia-smi --query-gpu=timestamp,power.draw --format=csv -lms 20");
  }
  const bool has_power = std::any_of(columns_.begin(), columns_.end(), [](const auto& column) {
    return column.field == LogField::power || column.field == LogField::energy;
  });
  if (!has_power) {
    std::string titles;
    for (const LogColumn& column : columns_) titles += (titles.empty() ? "" : ", ") + column.title;
    return Unexpected(Errc::parse,
                      fmt::format("the log has no column of power among {}; call it power_w or "
                                  "power_mw, a driver's energy counter energy_counter_j or "
                                  "energy_mj, or record power.draw",
                                  quote(titles)));
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view example = thousands_[i].example();
    if (example.empty()) continue;
    return Unexpected(
        Errc::parse,
        fmt::format("{} has whole watts and {}: its dot seems to separate thousands, and would be "
                    "read as a decimal point; write thousands without dots, such as 1300",
                    columns_[i].title, quote(example)));
  }
  return {};
}

Result<PowerLog> LogParser::finish() {
  if (const auto good = check_columns(); !good) return Unexpected(good.error());
  auto log = builder_.finish();
  if (log) note_guesses(columns_, *log);
  if (log) {
    // First of all: only the first note is shown without -v.
    for (const auto& doubts :
         {doubts_about_slow_rows(columns_, *log), doubts_about_units(columns_, *log)}) {
      log->notes.insert(log->notes.begin(), doubts.begin(), doubts.end());
    }
  }
  if (log && is_headerless_) {
    log->notes.push_back(
        above_.empty() ? "the log has no header: its watts were taken for power.draw"
                       : fmt::format("its header {} is not understood: its watts were taken for "
                                     "power.draw; timestamp and power_w are names that are",
                                     quote(above_)));
  }
  return log;
}

bool has_header_or_row(std::string_view text, char separator) {
  std::vector<std::string_view> cells;
  LineReader reader(text);
  while (reader.next()) {
    split_row(reader.line(), cells, separator);
    if (has_log_time(cells) || columns_of_row(cells) || parse_log_header(cells)) return true;
  }
  return false;
}

}  // namespace

Result<PowerLog> parse_nvidia_smi_log(std::string_view text, const PowerLogOptions& options) {
  if (const auto narrowed = narrow_utf16(text)) return parse_nvidia_smi_log(*narrowed, options);
  text = skip_byte_order_mark(text);
  if (const auto plain = as_plain_table(text)) {
    return LogParser(options, kCellSeparator).parse(*plain);
  }
  return LogParser(options, ',').parse(text);
}

bool looks_like_nvidia_smi_log(std::string_view start) {
  if (const auto narrowed = narrow_utf16(start)) return looks_like_nvidia_smi_log(*narrowed);
  start = skip_byte_order_mark(start);
  if (const auto plain = as_plain_table(start)) return has_header_or_row(*plain, kCellSeparator);
  return has_header_or_row(start, ',');
}

}  // namespace truewatt::trace
