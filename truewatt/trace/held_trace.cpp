#include "truewatt/trace/held_trace.hpp"

namespace truewatt::trace {

void HeldTraceBuilder::show(HostTime time, std::optional<DriverTime> stamp, double value) {
  const bool first = trace_.samples.empty();
  if (first) trace_.begin = time;
  if (silence_ && !first) trace_.gaps.push_back({trace_.end, time, *silence_});
  silence_.reset();
  if (first || trace_.samples.back().value != value) {
    trace_.samples.push_back({first ? time : trace_.end, time, stamp, value});
  }
  trace_.end = time;
  ++trace_.polls;
}

void HeldTraceBuilder::stay_silent(std::string_view cause) {
  if (!silence_) silence_ = std::string(cause);
}

}  // namespace truewatt::trace
