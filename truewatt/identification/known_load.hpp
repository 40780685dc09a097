#pragma once

#include <string_view>
#include <vector>

#include "truewatt/model/power_signal.hpp"
#include "truewatt/trace/meter_trace.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// When a load worked, in seconds on the readings' axis: in order, not overlapping.
struct Work {
  double begin = 0.0;
  double end = 0.0;
};

/// The stretches of work of one level (ActivityInterval::level) of a recording, seconds after
/// `origin`; neighbours less than a microsecond apart are one.
std::vector<Work> work_of(const Recording& recording, HostTime origin, std::string_view level);

/// Power that a meter on the recording's axis saw, each sample held until the next and averaged in
/// blocks of about a millisecond where the meter is quicker than that; seconds after `origin`,
/// which must not lie after the first sample.
PowerSignal measured_power(const trace::MeterTrace& meter, HostTime origin);

}  // namespace truewatt::identification
