#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// Cause of a gap in which a log has no rows.
inline constexpr std::string_view kNoRows = "no_rows";

/// Turns what a poller saw, poll by poll, into what the source published: a run of equal readings
/// is one Sample. Two equal values published in a row look like one; that is inherent in polling.
/// Polls arrive in order of time; where they stop for much longer than usual, a gap says so
/// (kNoRows). Not thread-safe.
class HeldTraceBuilder {
 public:
  explicit HeldTraceBuilder(SourceId source) { trace_.source = source; }

  /// The source showed `value` at `time`. The first poll's sample has `before == seen`.
  void show(HostTime time, std::optional<DriverTime> stamp, double value);
  /// A poll at `time` that brought no reading: a gap reaches from the last reading to the next. The
  /// trace begins with the first poll, answered or not.
  void stay_silent(HostTime time, std::string_view cause);
  bool empty() const { return trace_.samples.empty(); }
  Trace finish() &&;

 private:
  void add_pauses();

  Trace trace_;
  std::vector<HostTime> polls_;
  std::optional<std::string> silence_;
  std::optional<HostTime> first_silence_;
};

}  // namespace truewatt::trace
