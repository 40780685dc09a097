#pragma once

#include <cstdint>

#include "truewatt/calibrate/calibration_fit.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"
#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::calibrate {

/// What it calls itself.
inline constexpr const char* kSimulatedMeter = "PMD-USB (simulated)";

/// What a PMD-USB would have shown of a simulated GPU that was started at `origin`: the true power
/// in means over 2 ms with noise, off by a scale and a zero that are drawn once within the meter's
/// accuracy. Deterministic under `seed`.
trace::MeterTrace simulated_meter(simgpu::SimulatedGpu& gpu, HostTime origin, HostTime begin,
                                  HostTime end, std::uint64_t seed);

}  // namespace truewatt::calibrate
