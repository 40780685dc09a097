#include "truewatt/trace/trace.hpp"

#include <algorithm>

namespace truewatt {

const Trace* find_trace(const Recording& recording, SourceId source) {
  const auto found = std::find_if(recording.traces.begin(), recording.traces.end(),
                                  [source](const Trace& trace) { return trace.source == source; });
  return found == recording.traces.end() ? nullptr : &*found;
}

Result<HostTime> first_reading(const Recording& recording) {
  std::optional<HostTime> first;
  for (const Trace& trace : recording.traces) {
    if (!trace.samples.empty() && (!first || trace.begin < *first)) first = trace.begin;
  }
  if (first) return *first;
  return Unexpected(Errc::insufficient_data, "the recording has no reading to count time from");
}

}  // namespace truewatt
