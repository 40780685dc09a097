#pragma once

#include <optional>
#include <vector>

#include "truewatt/model/power_signal.hpp"
#include "truewatt/trace/meter_trace.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// When a load worked, in seconds on the readings' axis: in order, not overlapping.
struct Work {
  double begin = 0.0;
  double end = 0.0;
  double height = 1.0;  ///< the board's settled step, over that of full work
};

/// The stretches of work of one kind of a recording, seconds after `origin`; neighbours less than
/// a microsecond apart are one.
std::vector<Work> work_of(const Recording& recording, HostTime origin, const WorkKind& kind);

/// The stretches of work of every level of a recording, in order, each as high as its level.
/// Nothing when some activity is not of a GPU load's own kernel at a known level.
std::optional<std::vector<Work>> work_of_levels(const Recording& recording, HostTime origin);

/// Power that a meter on the recording's axis saw, each sample held until the next and averaged in
/// blocks of about a millisecond where the meter is quicker than that; seconds after `origin`,
/// which must not lie after the first sample.
PowerSignal measured_power(const trace::MeterTrace& meter, HostTime origin);

}  // namespace truewatt::identification
