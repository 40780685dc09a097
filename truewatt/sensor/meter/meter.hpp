#pragma once

#include "truewatt/base/result.hpp"
#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::sensor {

/// The seam to a live external meter. One thread at a time.
class Meter {
 public:
  virtual ~Meter() = default;
  virtual std::string_view name() const = 0;
  /// Readings begin.
  virtual Result<void> start() = 0;
  /// Takes in what has arrived, waiting a few milliseconds for more. To be called again and again
  /// from start to stop: what nobody fetches is lost. Errors: device when the meter went away.
  virtual Result<void> fetch() = 0;
  /// Readings end; everything since start, on the host's axis. Errors: insufficient_data when no
  /// reading arrived.
  virtual Result<trace::MeterTrace> stop() = 0;
};

}  // namespace truewatt::sensor
