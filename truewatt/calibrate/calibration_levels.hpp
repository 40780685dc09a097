#pragma once

#include <vector>

#include "truewatt/calibrate/calibration_fit.hpp"
#include "truewatt/trace/meter_trace.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::calibrate {

/// What a source and a meter showed on every window's plateau (`plateau_span`) and on the idle
/// before it: the last second, of which after another window only counts what begins 2 s behind
/// that one's end, and none in which or in the second before which the board woke up or calmed down
/// (by 10 %). An energy counter's power is its count between its first and last tick inside.
/// Stretches that the source or the meter does not cover are left out.
std::vector<MeteredLevel> levels_of(const Trace& trace, const trace::MeterTrace& meter,
                                    const std::vector<Window>& windows);

}  // namespace truewatt::calibrate
