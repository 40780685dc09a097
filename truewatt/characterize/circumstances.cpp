#include "truewatt/characterize/circumstances.hpp"

#include <fmt/format.h>

namespace truewatt::characterize {

void record_circumstances(const sensor::PowerSensor& sensor, const load::Load& load, HostTime time,
                          capture::Recorder& recorder) {
  for (const sensor::SourceStatus& status : sensor.sources()) {
    if (status.answers() || status.refusal->code != Errc::permission) continue;
    const std::string what =
        fmt::format("{}: {}", to_string(status.source), status.refusal->message);
    recorder.apply({0, CaptureEvent{time, EventKind::source_refused, what}});
  }
  if (const auto slice = load.slice()) {
    recorder.apply({0, CaptureEvent{time, EventKind::mig_instance, *slice}});
  }
}

}  // namespace truewatt::characterize
