#pragma once

#include <string>
#include <vector>

#include "truewatt/measure/measurement.hpp"

namespace truewatt::demo {

/// One experiment of the demonstration.
struct DemoExperiment {
  std::string title;
  std::string text;                 ///< what it shows, for people
  std::vector<std::string> labels;  ///< one per estimate
  measure::Measurement measurement;
};

/// The main job without hardware, on a simulated device: the 325 ms program of Yang, Adamek and
/// Armour (SC'24), Fig. 1, four times, loads that a part-time sensor gets right or wrong, and one
/// of these again once the device is characterized, and once it is calibrated, too. Deterministic
/// under `seed`.
Result<std::vector<DemoExperiment>> run_demo(const std::string& device, std::uint64_t seed);

}  // namespace truewatt::demo
