#pragma once

#include <span>

#include "truewatt/base/result.hpp"
#include "truewatt/model/calibration.hpp"

namespace truewatt::calibrate {

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

}  // namespace truewatt::calibrate
