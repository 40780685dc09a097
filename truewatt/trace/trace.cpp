#include "truewatt/trace/trace.hpp"

#include <algorithm>

namespace truewatt {

const Trace* find_trace(const Recording& recording, SourceId source) {
  const auto found = std::find_if(recording.traces.begin(), recording.traces.end(),
                                  [source](const Trace& trace) { return trace.source == source; });
  return found == recording.traces.end() ? nullptr : &*found;
}

}  // namespace truewatt
