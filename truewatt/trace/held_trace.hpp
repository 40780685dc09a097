#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// Turns what a poller saw, poll by poll, into what the source published: a run of equal readings
/// is one Sample. Two equal values published in a row look like one; that is inherent in polling.
/// Polls arrive in order of time. Not thread-safe.
class HeldTraceBuilder {
 public:
  explicit HeldTraceBuilder(SourceId source) { trace_.source = source; }

  /// The source showed `value` at `time`. The first poll's sample has `before == seen`.
  void show(HostTime time, std::optional<DriverTime> stamp, double value);
  /// A poll that brought no reading: a gap reaches from the last reading to the next.
  void stay_silent(std::string_view cause);
  bool empty() const { return trace_.samples.empty(); }
  Trace finish() && { return std::move(trace_); }

 private:
  Trace trace_;
  std::optional<std::string> silence_;
};

}  // namespace truewatt::trace
