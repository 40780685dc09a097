#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/coded.hpp"

namespace truewatt {

/// What limits a calibration. A new reason is an enumerator here and its row in
/// calibration_reason.cpp, without which nothing compiles. The codes are stable: calibrations have
/// them.
enum class CalibrationReason {
  no_repetitions,          ///< each level was shown once
  linearity_not_tested,    ///< too few levels to see a curve
  not_linear,              ///< the levels lie off the line
  meter_accuracy_assumed,  ///< that of a PMD-USB
  interrupted,             ///< the protocol was cut short
  last_ = interrupted,
};
std::string_view to_string(CalibrationReason reason);
std::optional<CalibrationReason> parse_calibration_reason(std::string_view code);

/// The sentence for people; the code itself where only a newer program knows it.
std::string explain(const Coded<CalibrationReason>& reason);

}  // namespace truewatt
