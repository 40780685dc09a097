#pragma once

#include <cstdint>
#include <span>

#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/load/cuda/gpu_kernel.hpp"

namespace truewatt::load::cuda {

/// One launch and how long it took by the GPU's clock.
struct TimedLaunch {
  std::uint32_t passes = 0;
  Seconds time{0};
};

/// How long a launch takes: `overhead + passes * per_pass` (Yang et al., SC'24, figure 5).
struct LaunchTiming {
  Seconds overhead{0};  ///< of the first launch of a stretch; those queued behind it have none
  Seconds per_pass{0};
  double r_squared = 0.0;

  /// The passes whose loop takes `time`; at least one.
  std::uint32_t passes_for(Seconds time) const;
};

/// Launches up to this long are dropped from the fit, as in the paper's own calibration.
inline constexpr Seconds kTooShortToFit{0.002};

/// Fits the line through the launches longer than kTooShortToFit. Each weighs by the inverse square
/// of its time, so that 3 ms and 200 ms are met with the same relative error. R² is that of the
/// line over the unweighted times. insufficient_data below three launches of different length;
/// ill_conditioned when R² is below 0.99 or time does not grow with passes: something else used the
/// GPU, or its clock moved.
Result<LaunchTiming> fit_launch_timing(std::span<const TimedLaunch> launches);

/// How calibrate goes about it. The defaults take about 2.5 s.
struct CalibrationOptions {
  Seconds least_warm_up{0.5};  ///< work this long before anything counts
  Seconds most_warm_up{1.2};   ///< and until the time of a launch settles, but no longer than this
  Seconds longest{0.2};        ///< the longest launch measured; the shortest takes 3 ms
  int repetitions = 3;         ///< of every length, 1 or more; the fastest counts
};

/// Warms `kernel` up and measures its timing on all SMs. Its thread must be the kernel's.
Result<LaunchTiming> calibrate(GpuKernel& kernel, const CalibrationOptions& options);

/// How long a pass takes about, from launches of up to some ten milliseconds without a warm-up.
Result<LaunchTiming> rough_timing(GpuKernel& kernel);

/// What to launch, and how often.
struct LaunchSpec {
  unsigned blocks = 1;
  std::uint32_t passes = 1;
  int repetitions = 1;
};

/// The fastest of some launches, one after the other: whatever disturbs a launch makes it longer.
Result<TimedLaunch> fastest_launch(GpuKernel& kernel, const LaunchSpec& spec);

}  // namespace truewatt::load::cuda
