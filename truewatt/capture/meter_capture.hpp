#pragma once

#include <optional>
#include <thread>

#include "truewatt/sensor/meter/meter.hpp"

namespace truewatt::capture {

/// Fetches a live meter's readings on a thread of its own from construction to stop(). The meter
/// must outlive it.
class MeterCapture {
 public:
  explicit MeterCapture(sensor::Meter& meter);
  /// Ends the thread; readings not asked for are lost.
  ~MeterCapture();
  MeterCapture(const MeterCapture&) = delete;
  MeterCapture& operator=(const MeterCapture&) = delete;

  /// The readings, or why there are none: the first error of starting, fetching and stopping.
  Result<trace::MeterTrace> stop();

 private:
  sensor::Meter& meter_;
  std::optional<Error> error_;  // the thread's until it ended
  std::jthread thread_;
};

}  // namespace truewatt::capture
