#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::sensor {

std::vector<SourceId> answering_sources(const PowerSensor& sensor) {
  std::vector<SourceId> answering;
  for (const auto& status : sensor.sources()) {
    if (status.answers) answering.push_back(status.source);
  }
  return answering;
}

}  // namespace truewatt::sensor
