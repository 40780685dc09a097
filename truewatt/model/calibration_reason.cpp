#include "truewatt/model/calibration_reason.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt {
namespace {

struct CalibrationReasonRow {
  std::string_view code;
  std::string_view sentence;
};

/// The compiler names the enumerator that has no row here.
constexpr CalibrationReasonRow calibration_reason_row(CalibrationReason reason) {
  switch (reason) {
    case CalibrationReason::no_repetitions:
      return {"no_repetitions",
              "No level was repeated: how well it comes back is taken from the scatter within it."};
    case CalibrationReason::linearity_not_tested:
      return {"linearity_not_tested",
              "Fewer than four levels do not show whether the sensor is linear: each may lie 0.5 % "
              "of the range off the line."};
    case CalibrationReason::not_linear:
      return {"not_linear",
              "The levels lie farther from the line than their repetitions explain: the sensor is "
              "not linear, or something else drew power."};
    case CalibrationReason::meter_accuracy_assumed:
      return {"meter_accuracy_assumed",
              "The meter's accuracy was not given: that of a PMD-USB, 1.12 %, is assumed. Give it "
              "with --meter-accuracy."};
    case CalibrationReason::interrupted:
      return {"interrupted", "The protocol was cut short; what was measured until then counts."};
  }
  return {};
}
constexpr auto kCalibrationReasons = rows_of<CalibrationReason, calibration_reason_row>();

}  // namespace

std::string_view to_string(CalibrationReason reason) {
  return row_of(kCalibrationReasons, reason).code;
}
std::optional<CalibrationReason> parse_calibration_reason(std::string_view code) {
  return find_code<CalibrationReason>(kCalibrationReasons, code);
}
std::string explain(const Coded<CalibrationReason>& reason) {
  return reason.known() ? std::string(row_of(kCalibrationReasons, *reason.known()).sentence)
                        : reason.code();
}

}  // namespace truewatt
