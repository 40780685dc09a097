#include "truewatt/trace/formats/nvidia_smi_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "truewatt/trace/formats/held_trace.hpp"
#include "truewatt/trace/formats/log_clock.hpp"
#include "truewatt/trace/formats/nvidia_smi_columns.hpp"
#include "truewatt/trace/formats/nvidia_smi_rows.hpp"
#include "truewatt/trace/formats/row_tally.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

struct Reading {
  std::size_t row = 0;
  std::optional<double> watts;
  std::string_view cause;  ///< of a missing reading
};

struct SourceReadings {
  SourceId source;
  std::vector<Reading> readings;
};

bool says_lost(std::string_view cause) {
  return cause.find("requires reset") != std::string_view::npos ||
         cause.find("is lost") != std::string_view::npos;
}

bool has_health(const HealthSample& health) {
  return health.utilization_percent || health.p_state || health.temperature_c ||
         health.sm_clock_mhz || health.memory_clock_mhz || health.memory_used_bytes ||
         health.clocks_event_reasons;
}

bool same_state(const HealthSample& a, const HealthSample& b) {
  return a.p_state == b.p_state && a.clocks_event_reasons == b.clocks_event_reasons;
}

/// The rows of one GPU in the order of the log. Their place on the host axis is known only once all
/// are there.
class DeviceRows {
 public:
  DeviceRows(std::string key, DeviceIdentity identity)
      : key_(std::move(key)), identity_(std::move(identity)) {}

  const std::string& key() const { return key_; }
  void add(const LogRow& row, DriverTime stamp, Nanoseconds health_period);
  Recording finish() const;

 private:
  struct HealthRow {
    std::size_t row;
    HealthSample health;
  };

  void add_power(const PowerCell& power);
  void add_health(const HealthSample& health, Nanoseconds period);
  Trace trace_of(const SourceReadings& source, const LogTimes& times) const;
  void report_steps(const LogTimes& times, Recording& recording) const;

  std::string key_;
  DeviceIdentity identity_;
  std::vector<DriverTime> stamps_;
  std::vector<SourceReadings> sources_;
  std::vector<HealthRow> health_;
  std::optional<Reading> lost_;
};

void DeviceRows::add(const LogRow& row, DriverTime stamp, Nanoseconds health_period) {
  stamps_.push_back(stamp);
  // A limit may be raised while the log runs.
  if (row.device.power_limit > identity_.power_limit) {
    identity_.power_limit = row.device.power_limit;
  }
  for (const PowerCell& power : row.powers) add_power(power);
  if (has_health(row.health)) add_health(row.health, health_period);
}

void DeviceRows::add_power(const PowerCell& power) {
  auto found = std::find_if(sources_.begin(), sources_.end(),
                            [&power](const auto& source) { return source.source == power.source; });
  if (found == sources_.end()) found = sources_.insert(found, {power.source, {}});
  found->readings.push_back({stamps_.size() - 1, power.watts, power.cause});
  if (!lost_ && says_lost(power.cause)) lost_ = found->readings.back();
}

void DeviceRows::add_health(const HealthSample& health, Nanoseconds period) {
  const std::size_t row = stamps_.size() - 1;
  if (!health_.empty()) {
    const HealthRow& last = health_.back();
    const Nanoseconds since = stamps_[row] - stamps_[last.row];
    if (since >= Nanoseconds(0) && since < period && same_state(health, last.health)) return;
  }
  health_.push_back({row, health});
}

Trace DeviceRows::trace_of(const SourceReadings& source, const LogTimes& times) const {
  HeldTraceBuilder builder(source.source);
  for (const Reading& reading : source.readings) {
    if (reading.watts) {
      builder.show(times.host[reading.row], stamps_[reading.row], *reading.watts);
    } else {
      builder.stay_silent(reading.cause);
    }
  }
  return std::move(builder).finish();
}

void DeviceRows::report_steps(const LogTimes& times, Recording& recording) const {
  for (const std::size_t row : times.steps) {
    recording.events.push_back(
        {times.host[row], EventKind::clock_step,
         fmt::format("the log's clock ran backwards or jumped at its row {} of this GPU; later "
                     "rows were placed behind it",
                     row + 1)});
  }
}

Recording DeviceRows::finish() const {
  const LogTimes times = place_rows(stamps_);
  Recording recording;
  recording.device = identity_;
  recording.clock_pairs = times.clock_pairs;
  for (const SourceReadings& source : sources_) {
    Trace trace = trace_of(source, times);
    if (!trace.samples.empty()) recording.traces.push_back(std::move(trace));
  }
  for (const HealthRow& row : health_) {
    recording.health.push_back(row.health);
    recording.health.back().time = times.host[row.row];
  }
  report_steps(times, recording);
  if (lost_) {
    recording.events.push_back({times.host[lost_->row], EventKind::gpu_lost,
                                fmt::format("nvidia-smi answered {}", quote(lost_->cause))});
  }
  return recording;
}

bool has_log_time(const std::vector<std::string_view>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](std::string_view cell) { return parse_log_time(cell).has_value(); });
}

/// Walks down the lines; the columns follow the last header seen.
class LogParser {
 public:
  explicit LogParser(const NvidiaSmiLogOptions& options) : options_(options) {}

  Result<NvidiaSmiLog> parse(std::string_view text);

 private:
  Result<void> read_line(const LineReader& reader);
  Result<void> read_before_header(const LineReader& reader);
  void read_row(const LineReader& reader);
  bool is_cut(const LineReader& reader) const;
  std::string keep(const LogRow& row);
  DeviceRows& device(const LogRow& row);
  Result<NvidiaSmiLog> finish() const;

  NvidiaSmiLogOptions options_;
  std::vector<LogColumn> columns_;
  std::vector<std::string_view> cells_;
  std::string_view last_cell_above_;
  std::vector<DeviceRows> devices_;
  RowTally tally_;
};

Result<NvidiaSmiLog> LogParser::parse(std::string_view text) {
  LineReader reader(text);
  while (reader.next()) {
    const auto done = read_line(reader);
    if (!done) return Unexpected(done.error());
  }
  return finish();
}

Result<void> LogParser::read_line(const LineReader& reader) {
  if (reader.line().empty()) {
    if (reader.held_nul()) tally_.bad(reader.number(), "nothing but NUL bytes");
    return {};
  }
  split_cells(reader.line(), cells_);
  if (auto header = parse_log_header(cells_)) {
    columns_ = *std::move(header);
    last_cell_above_ = {};
    return {};
  }
  if (columns_.empty()) return read_before_header(reader);
  read_row(reader);
  return {};
}

Result<void> LogParser::read_before_header(const LineReader& reader) {
  if (has_log_time(cells_)) {
    return Unexpected(
        Errc::parse,
        fmt::format("line {} is a row, and no header says what its columns mean; record the log "
                    "with its header (--format=csv, without noheader) or put the header line back",
                    reader.number()));
  }
  tally_.bad(reader.number(), fmt::format("{} stands before the header", quote(reader.line())));
  return {};
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
    return tally_.bad(reader.number(),
                      fmt::format("{} cells under {} columns", found, columns_.size()));
  }
  const bool cut = found < columns_.size() || is_cut(reader);
  if (cut) cells_.pop_back();  // where a line was cut, its last cell was too
  if (!cut) last_cell_above_ = cells_.back();
  const std::string fault = keep(read_log_row(columns_, cells_));
  if (cut) {
    return tally_.bad(reader.number(), fmt::format("the line is cut after {} of {} columns",
                                                   cells_.size(), columns_.size()));
  }
  if (!fault.empty()) return tally_.bad(reader.number(), fault);
  tally_.good();
}

/// Keeps what could be read of a row; returns what could not.
std::string LogParser::keep(const LogRow& row) {
  if (!row.stamp) return row.fault.empty() ? "the row has no timestamp" : row.fault;
  if (!row.key) return row.fault.empty() ? "the row does not say which GPU it is of" : row.fault;
  if (row.has_reading || !row.powers.empty()) {
    device(row).add(row, *row.stamp - options_.utc_offset, options_.health_period);
  }
  if (!row.fault.empty()) return row.fault;
  if (row.has_reading) return "";
  return row.powers.empty()
             ? "the row has no reading"
             : fmt::format("{} is {}", to_string(row.powers[0].source), quote(row.powers[0].cause));
}

DeviceRows& LogParser::device(const LogRow& row) {
  const auto found = std::find_if(devices_.begin(), devices_.end(),
                                  [&row](const auto& device) { return device.key() == *row.key; });
  if (found != devices_.end()) return *found;
  return devices_.emplace_back(*row.key, row.device);
}

Result<NvidiaSmiLog> LogParser::finish() const {
  if (columns_.empty()) {
    return Unexpected(Errc::parse,
                      "no header line with a 'timestamp' column: this is no nvidia-smi log; record "
                      "one with nvidia-smi --query-gpu=timestamp,power.draw --format=csv -lms 20");
  }
  NvidiaSmiLog log;
  bool has_power = false;
  for (const DeviceRows& device : devices_) {
    log.recordings.push_back(device.finish());
    has_power = has_power || !log.recordings.back().traces.empty();
  }
  log.rows = tally_.rows();
  log.bad_rows = tally_.bad_rows();
  log.warnings = tally_.warnings();
  if (has_power) return log;
  const bool has_column = std::any_of(columns_.begin(), columns_.end(), [](const auto& column) {
    return column.field == LogField::power;
  });
  if (!has_column) {
    return Unexpected(Errc::parse,
                      "the log has no power column; record power.draw, power.draw.average or "
                      "power.draw.instant");
  }
  return Unexpected(
      Errc::insufficient_data,
      fmt::format("none of the log's {} rows has a power reading{}", log.rows + log.bad_rows,
                  log.warnings.empty() ? "" : " (" + log.warnings.front() + ")"));
}

bool has_header_or_row(std::string_view text) {
  std::vector<std::string_view> cells;
  LineReader reader(text);
  while (reader.next()) {
    split_cells(reader.line(), cells);
    if (has_log_time(cells) || parse_log_header(cells)) return true;
  }
  return false;
}

}  // namespace

Result<NvidiaSmiLog> parse_nvidia_smi_log(std::string_view text,
                                          const NvidiaSmiLogOptions& options) {
  if (const auto narrowed = narrow_utf16(text)) return LogParser(options).parse(*narrowed);
  return LogParser(options).parse(skip_byte_order_mark(text));
}

bool looks_like_nvidia_smi_log(std::string_view start) {
  if (const auto narrowed = narrow_utf16(start)) return has_header_or_row(*narrowed);
  return has_header_or_row(skip_byte_order_mark(start));
}

}  // namespace truewatt::trace
