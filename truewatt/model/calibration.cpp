#include "truewatt/model/calibration.hpp"

namespace truewatt {

std::optional<MeterAccuracy> published_accuracy(std::string_view meter) {
  return meter.starts_with("PMD-USB") ? std::optional(kPmdAccuracy) : std::nullopt;
}

std::string calibration_sentence(std::string_view code) {
  if (code == kNoRepetitions) {
    return "No level was repeated: how well it comes back is taken from the scatter within it.";
  }
  if (code == kLinearityNotTested) {
    return "Fewer than four levels do not show whether the sensor is linear: each may lie 0.5 % of "
           "the range off the line.";
  }
  if (code == kNotLinear) {
    return "The levels lie farther from the line than their repetitions explain: the sensor is not "
           "linear, or something else drew power.";
  }
  if (code == kAccuracyAssumed) {
    return "The meter's accuracy was not given: that of a PMD-USB, 1.12 %, is assumed. Give it "
           "with "
           "--meter-accuracy.";
  }
  if (code == kCutShort) return "The protocol was cut short; what was measured until then counts.";
  return std::string(code);
}

}  // namespace truewatt
