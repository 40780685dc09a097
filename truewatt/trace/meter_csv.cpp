#include "truewatt/trace/meter_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/trace/row_tally.hpp"
#include "truewatt/trace/text.hpp"
#include "truewatt/trace/window_list.hpp"

namespace truewatt::trace {
namespace {

/// A reading beyond this is none: a whole rack draws less.
constexpr double kMaxWatts = 1e6;

bool is_epoch(Nanoseconds time) { return Seconds(time).count() > kEpochSecondsFrom; }

/// Collects rows under a header that was found.
class MeterRows {
 public:
  MeterRows(std::size_t time_column, std::size_t power_column)
      : time_column_(time_column), power_column_(power_column) {}

  void read(const LineReader& reader, const std::vector<std::string_view>& cells);
  MeterTrace finish() &&;

 private:
  std::string add(Nanoseconds time, double watts);

  std::size_t time_column_;
  std::size_t power_column_;
  RowTally tally_;
  MeterTrace meter_;
};

void MeterRows::read(const LineReader& reader, const std::vector<std::string_view>& cells) {
  if (cells.size() <= std::max(time_column_, power_column_)) {
    return tally_.bad(reader.number(), "the row lacks a column");
  }
  const std::string_view time_cell = cells[time_column_];
  const std::string_view power_cell = cells[power_column_];
  const auto time = parse_seconds(time_cell);
  if (!time) return tally_.bad(reader.number(), fmt::format("t_s is {}", quote(time_cell)));
  const auto watts = parse_number(power_cell);
  if (!watts || *watts > kMaxWatts || *watts < -kMaxWatts) {
    return tally_.bad(reader.number(), fmt::format("w is {}", quote(power_cell)));
  }
  const std::string fault = add(*time, *watts);
  if (!fault.empty()) return tally_.bad(reader.number(), fault);
  tally_.good();
}

std::string MeterRows::add(Nanoseconds time, double watts) {
  const MeterAxis axis = is_epoch(time) ? MeterAxis::utc : MeterAxis::recording;
  if (meter_.samples.empty()) meter_.axis = axis;
  if (axis != meter_.axis) return "t_s does not count from where the first row does";
  if (!meter_.samples.empty() && HostTime(time) <= meter_.samples.back().time) {
    return "t_s is not later than in the row above";
  }
  meter_.samples.push_back({HostTime(time), watts});
  return "";
}

MeterTrace MeterRows::finish() && {
  meter_.meter = "CSV";
  meter_.rows = tally_.rows();
  meter_.bad_rows = tally_.bad_rows();
  meter_.warnings = tally_.warnings();
  return std::move(meter_);
}

Result<MeterTrace> read_rows(LineReader& reader, MeterRows rows) {
  std::vector<std::string_view> cells;
  while (reader.next()) {
    if (reader.line().empty()) continue;
    split_cells(reader.line(), cells);
    rows.read(reader, cells);
  }
  MeterTrace meter = std::move(rows).finish();
  if (meter.samples.size() >= 2) return meter;
  return Unexpected(
      Errc::insufficient_data,
      fmt::format("meter file: {} readings{}; two are the least", meter.samples.size(),
                  meter.warnings.empty() ? "" : " (" + meter.warnings[0] + ")"));
}

}  // namespace

Result<MeterTrace> parse_meter_csv(std::string_view text) {
  LineReader reader(skip_byte_order_mark(text));
  do {
    if (!reader.next()) return Unexpected(Errc::insufficient_data, "the meter file is empty");
  } while (reader.line().empty());
  std::vector<std::string_view> cells;
  split_cells(reader.line(), cells);
  const auto time = std::find(cells.begin(), cells.end(), "t_s");
  const auto power = std::find(cells.begin(), cells.end(), "w");
  if (time == cells.end() || power == cells.end()) {
    return Unexpected(Errc::parse, fmt::format("meter file: {} is no header; expected 't_s,w'",
                                               quote(reader.line())));
  }
  return read_rows(reader, MeterRows(static_cast<std::size_t>(time - cells.begin()),
                                     static_cast<std::size_t>(power - cells.begin())));
}

}  // namespace truewatt::trace
