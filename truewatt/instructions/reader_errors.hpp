#pragma once

#include <vector>

#include "truewatt/instructions/observations.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::instructions {

/// How far each reader of the literature is off over the stretches of all loops: of energies above
/// its own idle before the recording's kernels, against the meter's energies above the same idle,
/// or against the estimates where `meter` is null. A stretch that the meter did not read whole
/// counts for nothing. Pure.
std::vector<ReaderErrors> reader_errors(const Observations& seen, const trace::MeterTrace* meter);

}  // namespace truewatt::instructions
