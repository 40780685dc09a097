#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt::capture {

struct SampleBatch {
  SourceId source;
  std::vector<Sample> samples;
};
struct SourceGap {
  SourceId source;
  Gap gap;
};
struct SourcePolled {
  SourceId source;
  HostTime begin;
  HostTime end;
  std::uint64_t polls = 0;
};

/// One thing that a sampling thread has to say about its device, on its way to the writer.
struct Record {
  int device = 0;
  std::variant<SampleBatch, HealthSample, ClockPair, SourceGap, CaptureEvent, SourcePolled> what;
};

}  // namespace truewatt::capture
