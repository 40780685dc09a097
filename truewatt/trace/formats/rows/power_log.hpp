#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/rows/log_row.hpp"
#include "truewatt/trace/formats/rows/row_tally.hpp"
#include "truewatt/trace/formats/stamps/log_clock.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

struct PowerLogOptions {
  /// Health is kept this far apart, and wherever the p-state or the event reasons change.
  Nanoseconds health_period = std::chrono::seconds(1);
};

/// A log of power readings, whatever wrote it. The host axis of the recordings is UTC since the
/// epoch where the stamps say it (`utc_offset`), else local time taken for it (`move_to_utc`).
/// `Sample::stamp` is the row's stamp. They differ only behind a clock that was set back
/// (`place_rows`), which is a `CaptureEvent` of kind `clock_step`. A reading's bracket is the last
/// row that showed the value before and the first row that shows it.
struct PowerLog {
  std::vector<Recording> recordings;  ///< one per GPU, in order of first appearance
  std::uint64_t rows = 0;             ///< rows read whole
  std::uint64_t bad_rows = 0;         ///< rows that were not; what could be read of them is kept
  std::vector<std::string> notes;     ///< what was assumed of the log, and silences
  std::vector<std::string> warnings;  ///< the first few bad rows, with line number and cell
  /// Local time minus UTC as the first stamp that says it has it; absent: none does.
  std::optional<std::chrono::minutes> utc_offset;
  std::vector<ClockSetting> clock_settings;  ///< of its local clock, by daylight saving
};

class DeviceRows;

/// Collects the rows of a log into recordings: rows of one key and host are of one GPU, a UUID is
/// on one host. Where no column tells GPUs apart, several rows a query are of several
/// (`order_within_queries`), as are those of one index that do not show the same.
class PowerLogBuilder {
 public:
  explicit PowerLogBuilder(const PowerLogOptions& options = {});
  ~PowerLogBuilder();

  RowTally& tally() { return tally_; }
  /// Keeps what could be read of a row; returns what could not, "" for a whole row. An answer
  /// without a value (`[N/A]`) is one. Causes are views into a text that outlives the builder.
  std::string keep(const LogRow& row);
  /// keep(), and counts the row of this line.
  void add(const LogRow& row, std::size_t line);

  /// `ill_conditioned` where rows are of several GPUs and do not say of which, `insufficient_data`
  /// without a power reading.
  Result<PowerLog> finish();

 private:
  DeviceRows& device_of(const LogRow& row);
  DriverTime time_of(const LogStamp& stamp);
  void join_named();
  Result<void> split_by_order();
  Result<std::vector<DeviceRows>> places_of(DeviceRows& device);

  PowerLogOptions options_;
  RowTally tally_;
  std::vector<DeviceRows> devices_;
  std::size_t last_device_ = 0;
  std::optional<std::chrono::minutes> first_offset_;
  std::optional<std::chrono::minutes> last_offset_;
  std::vector<std::string> notes_;
};

/// Takes a log whose stamps are local time to UTC.
void move_to_utc(PowerLog& log, std::chrono::minutes offset);

}  // namespace truewatt::trace
