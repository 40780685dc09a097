#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/results/results.hpp"

namespace truewatt::energy {

struct EnergyTotal {
  std::optional<EnergyInterval> energy;      ///< joules; absent when a device has none
  std::optional<EnergyInterval> net_energy;  ///< joules
};

/// Sum over devices. Uncertainties add linearly where they are of one kind (an unknown gain may be
/// off the same way on every board of a series) and in quadrature otherwise; absent as soon as one
/// device's energy is.
EnergyTotal total_of(const std::vector<EnergyEstimate>& devices);

}  // namespace truewatt::energy
