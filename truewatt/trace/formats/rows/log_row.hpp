#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/trace/formats/stamps/log_stamp.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// A power cell of one row: a reading, or why there is none.
struct PowerCell {
  SourceId source;
  std::optional<double> value;
  std::string_view cause;  ///< of a missing reading, a view into the log
};

/// One row of a log of one GPU, its cells understood.
struct LogRow {
  std::optional<LogStamp> stamp;
  /// What tells the GPU from others of `device.host`, "" when the log has no such column; absent
  /// when the row does not say which GPU it is about.
  std::optional<std::string_view> key;
  /// Whether the key is unique to a GPU (uuid, bus id, index), not only its name.
  bool is_unique = false;
  DeviceIdentity device;  ///< `host`, where the row says it
  std::vector<PowerCell> powers;
  HealthSample health;       ///< its time is not set
  bool has_reading = false;  ///< a power or a health value
  std::string fault;         ///< the first thing that could not be read, "" when none
};

}  // namespace truewatt::trace
