#pragma once

#include <span>

#include "truewatt/trace/trace.hpp"

namespace truewatt::capture {

/// Where a device's sampler puts what it saw. Calls come from the sampling thread and must not
/// block: whoever writes to disk does so behind a queue.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void on_samples(SourceId source, std::span<const Sample> samples) = 0;
  virtual void on_health(const HealthSample& health) = 0;
  virtual void on_clock_pair(const ClockPair& pair) = 0;
  virtual void on_gap(SourceId source, const Gap& gap) = 0;
  virtual void on_event(const CaptureEvent& event) = 0;
  /// First and last poll of a source so far, and how many there were.
  virtual void on_polled(SourceId source, HostTime begin, HostTime end, std::uint64_t polls) = 0;
};

}  // namespace truewatt::capture
