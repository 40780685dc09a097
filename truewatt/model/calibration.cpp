#include "truewatt/model/calibration.hpp"

namespace truewatt {

std::optional<MeterAccuracy> published_accuracy(std::string_view meter) {
  return meter.starts_with("PMD-USB") ? std::optional(kPmdAccuracy) : std::nullopt;
}

}  // namespace truewatt
