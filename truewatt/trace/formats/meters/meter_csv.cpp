#include "truewatt/trace/formats/meters/meter_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/formats/rows/row_tally.hpp"
#include "truewatt/trace/formats/stamps/window_list.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

/// A reading beyond this is none: a whole rack draws less.
constexpr double kMaxWatts = 1e6;

constexpr std::array<std::string_view, 7> kRailColumns{"vs1_v",  "vg1_v",     "vs2_v",  "vg2_v",
                                                       "rs_ohm", "i_clamp_a", "v_dps_v"};

/// Where a header has what a reading is made of.
struct MeterColumns {
  std::size_t time = 0;
  std::vector<std::size_t> values;  ///< of `w`, or of kRailColumns in their order
  std::vector<std::string_view> names;

  bool are_rails() const { return values.size() > 1; }
  std::size_t last() const {
    return std::max(time, *std::max_element(values.begin(), values.end()));
  }
};

/// Places of all `names` in the header, or of none.
std::vector<std::size_t> find_all(const std::vector<std::string_view>& header,
                                  std::span<const std::string_view> names) {
  std::vector<std::size_t> places;
  for (const std::string_view name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) return {};
    places.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  return places;
}

std::optional<MeterColumns> columns_of(const std::vector<std::string_view>& header) {
  static constexpr std::array<std::string_view, 1> kTime{"t_s"};
  static constexpr std::array<std::string_view, 1> kPower{"w"};
  const auto time = find_all(header, kTime);
  if (time.empty()) return std::nullopt;
  for (const std::span<const std::string_view> names :
       {std::span<const std::string_view>(kPower),
        std::span<const std::string_view>(kRailColumns)}) {
    auto values = find_all(header, names);
    if (!values.empty())
      return MeterColumns{time[0], std::move(values), {names.begin(), names.end()}};
  }
  return std::nullopt;
}

double power_of(const std::vector<double>& values) {
  if (values.size() == 1) return values[0];
  return three_rail_power({.vs1 = values[0],
                           .vg1 = values[1],
                           .vs2 = values[2],
                           .vg2 = values[3],
                           .rs_ohm = values[4],
                           .i_clamp = values[5],
                           .v_dps = values[6]})
      .value();
}

/// Collects rows under a header that was found.
class MeterRows {
 public:
  explicit MeterRows(MeterColumns columns) : columns_(std::move(columns)) {}

  void read(const LineReader& reader, const std::vector<std::string_view>& cells);
  MeterTrace finish() &&;

 private:
  Result<double> power(const std::vector<std::string_view>& cells) const;
  std::string add(Nanoseconds time, double watts);

  MeterColumns columns_;
  RowTally tally_;
  MeterTrace meter_;
};

Result<double> MeterRows::power(const std::vector<std::string_view>& cells) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < columns_.values.size(); ++i) {
    const std::string_view cell = cells[columns_.values[i]];
    const auto value = parse_number(cell);
    if (!value) {
      return Unexpected(Errc::parse, fmt::format("{} is {}", columns_.names[i], quote(cell)));
    }
    values.push_back(*value);
  }
  const double watts = power_of(values);
  if (watts <= kMaxWatts && watts >= -kMaxWatts) return watts;
  return Unexpected(Errc::parse, columns_.are_rails()
                                     ? "the rails give no power"
                                     : fmt::format("w is {}", quote(cells[columns_.values[0]])));
}

void MeterRows::read(const LineReader& reader, const std::vector<std::string_view>& cells) {
  if (cells.size() <= columns_.last()) {
    return tally_.bad(reader.number(), "the row lacks a column");
  }
  const std::string_view time_cell = cells[columns_.time];
  const auto time = parse_seconds(time_cell);
  if (!time) return tally_.bad(reader.number(), fmt::format("t_s is {}", quote(time_cell)));
  const auto watts = power(cells);
  if (!watts) return tally_.bad(reader.number(), watts.error().message);
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
  meter_.meter = columns_.are_rails() ? "CSV of three rails" : "CSV";
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
  auto columns = columns_of(cells);
  if (!columns) {
    return Unexpected(Errc::parse,
                      fmt::format("meter file: {} is not a header line; expected 't_s,w', or "
                                  "'t_s,vs1_v,vg1_v,vs2_v,vg2_v,rs_ohm,i_clamp_a,v_dps_v'",
                                  quote(reader.line())));
  }
  return read_rows(reader, MeterRows(*std::move(columns)));
}

}  // namespace truewatt::trace
