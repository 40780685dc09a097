#include "truewatt/sensor/power_sensor.hpp"

#include <fmt/format.h>

namespace truewatt::sensor {

std::vector<SourceId> answering_sources(const PowerSensor& sensor) {
  std::vector<SourceId> answering;
  for (const auto& status : sensor.sources()) {
    if (status.answers()) answering.push_back(status.source);
  }
  return answering;
}

std::string whole_gpu_note(const MigMode& mig) {
  if (mig.instances.empty()) {
    return "MIG mode is on and the driver lists no instance: nothing runs on this GPU until one is "
           "created (nvidia-smi mig -cgi PROFILE -C)";
  }
  return fmt::format("MIG mode is on: readings are of the whole GPU, all {} instances",
                     mig.instances.size());
}

}  // namespace truewatt::sensor
