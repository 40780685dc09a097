#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/time.hpp"

namespace truewatt::trace {

/// When a row of a log was written.
struct LogStamp {
  /// UTC where `offset` is there; else local time, read as if it were UTC.
  DriverTime time;
  /// Local time minus UTC where the stamp itself says it: 0 for `Z` and for epoch stamps.
  std::optional<std::chrono::minutes> offset;
  /// A date or an epoch that is written in whole seconds: cut off, so that it is up to one early.
  bool is_cut = false;
  Nanoseconds older{0};  ///< what it stands beside was read up to so much earlier
  friend bool operator==(const LogStamp&, const LogStamp&) = default;
};

/// A stamp with a date: `2023/07/14 10:10:26.905` as nvidia-smi writes it, ISO 8601 with `-` or
/// without separators of the date, `T` or a blank, a fraction after a point or a comma, and an
/// offset (`Z`, `UTC`, `+01:00`, `+0100`, `+01`) or none; also `Tue Mar  4 09:30:00 2025`. Nothing
/// unless it is a date that exists between 1970 and 2099.
std::optional<LogStamp> parse_dated_stamp(std::string_view cell);

/// A stamp with a date, or a number: seconds, milliseconds, microseconds or nanoseconds since the
/// epoch, told apart by their size (years 2001 to 2099). A smaller number is seconds since
/// whenever, read like local time.
std::optional<LogStamp> parse_log_stamp(std::string_view cell);

/// Reads the stamps of rows that follow each other, as parse_log_stamp() does. Rows are many, and
/// in most the date and the seconds are those of the row before.
class LogStampReader {
 public:
  std::optional<LogStamp> read(std::string_view cell);

 private:
  std::string whole_;  ///< of the row before, what stands before the fraction; "" without a date
  DriverTime time_;    ///< that it says
};

}  // namespace truewatt::trace
