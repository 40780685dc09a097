#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/coded.hpp"
#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/model/calibration_reason.hpp"

namespace truewatt {

/// Bounds of a meter's error, in which it may lie anywhere, the same for all of its readings.
struct MeterAccuracy {
  double scale = 0.0;   ///< of the power, a share >= 0
  double zero_w = 0.0;  ///< W, >= 0
};

/// A PMD-USB: 0.5 % of the voltage and 1 % of the current (Yang, Adamek, Armour, SC'24: 1.12 % of
/// the power), and on each of the four rails half a step of the current, 0.0488 A at 12 V, in which
/// its firmware sets the zero.
inline constexpr MeterAccuracy kPmdAccuracy{.scale = 0.01118, .zero_w = 0.59};

/// What was published of the meter of this name (trace::MeterTrace::meter); a PMD2's accuracy was
/// not. Pure.
std::optional<MeterAccuracy> published_accuracy(std::string_view meter);

/// Means of one plateau (or of idle), as the source showed it and as the meter did.
struct CalibrationLevel {
  double sensor_w = 0.0;
  double meter_w = 0.0;
  friend bool operator==(const CalibrationLevel&, const CalibrationLevel&) = default;
};

/// One part of what is not known about a calibration, as standard uncertainties.
struct CalibrationTerm {
  std::string name;  ///< "scatter" | "linearity" | "meter_scale" | "meter_zero"
  char type = 'A';   ///< 'A': from the scatter of readings, 'B': from other knowledge
  double gain = 0.0;
  double offset_w = 0.0;
  friend bool operator==(const CalibrationTerm&, const CalibrationTerm&) = default;
};

/// Gain and offset of one source against a meter: sensor = gain * power + offset.
struct Calibration {
  DeviceIdentity device;
  SourceId source;
  std::string created;  ///< RFC 3339, UTC; "" when it is not known
  Interval gain{1.0, 1.0, 1.0, 0.95};
  Interval offset_w{0.0, 0.0, 0.0, 0.95};
  std::optional<double> r_squared;  ///< absent for two points, through which every line passes
  std::string meter;
  std::vector<CalibrationLevel> levels;
  std::vector<CalibrationTerm> terms;
  std::vector<Coded<CalibrationReason>> reasons;
};

}  // namespace truewatt
