#pragma once

#include <functional>
#include <optional>
#include <thread>

#include "truewatt/sensor/meter/meter.hpp"

namespace truewatt::capture {

/// Fetches a live meter's readings on a thread of its own from start() to stop(). The meter must
/// outlive it.
class MeterCapture {
 public:
  explicit MeterCapture(sensor::Meter& meter) : meter_(meter) {}
  /// Ends the thread; readings not asked for are lost.
  ~MeterCapture();
  MeterCapture(const MeterCapture&) = delete;
  MeterCapture& operator=(const MeterCapture&) = delete;

  /// Starts the meter, once. `failed` is called from the thread when the meter fails later.
  Result<void> start(std::function<void()> failed = {});
  /// The readings, or why there are none: the first error of fetching and stopping.
  Result<trace::MeterTrace> stop();

 private:
  sensor::Meter& meter_;
  std::optional<Error> error_;  // the thread's until it ended
  std::jthread thread_;
};

}  // namespace truewatt::capture
