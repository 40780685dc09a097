#pragma once

#include <span>

#include "truewatt/base/result.hpp"
#include "truewatt/model/calibration.hpp"

namespace truewatt::energy {

/// Bounds of a meter's error, in which it may lie anywhere, the same for all of its readings.
struct MeterAccuracy {
  double scale = 0.0;   ///< of the power, a share >= 0
  double zero_w = 0.0;  ///< W, >= 0
};

/// A PMD-USB: 0.5 % of the voltage and 1 % of the current (Yang, Adamek, Armour, SC'24: 1.12 % of
/// the power), and on each of the four rails half a step of the current, 0.0488 A at 12 V, in which
/// its firmware sets the zero.
inline constexpr MeterAccuracy kPmdAccuracy{.scale = 0.01118, .zero_w = 0.59};

/// What sensor and meter showed on the mean over one stretch of steady power. `sd` is the standard
/// uncertainty of the two's difference from the scatter within the stretch; 0: not known.
struct MeteredLevel {
  CalibrationLevel mean;
  double sd = 0.0;  ///< W
};

/// Fits sensor = gain * meter + offset to levels and repetitions in any order (method, section 10).
/// Both sides have errors; what the repetitions of a level share is the board's power and no error.
/// Intervals are of 95 % and hold, besides the scatter, what too few levels leave unknown and the
/// meter's own accuracy. Fills gain, offset, R squared, levels, terms and reasons; device, source
/// and names are the caller's.
/// Errors: insufficient_data below two levels, ill_conditioned when the levels lie too close
/// together to tell the gain within 20 %.
Result<Calibration> fit_calibration(std::span<const MeteredLevel> levels,
                                    const MeterAccuracy& accuracy);

}  // namespace truewatt::energy
