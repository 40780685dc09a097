#pragma once

#include "truewatt/energy/former/estimate_energy.hpp"
#include "truewatt/energy/former/padded_energy.hpp"

// Gain and offset between a source and the board's power, and what they do to an estimate.
namespace truewatt::energy {

/// Gain and offset of a source, with their uncertainties.
struct Response {
  Uncertain gain{1.0, 0.0};
  Uncertain offset_w{0.0, 0.0};
  bool calibrated = false;
};

/// As calibrated, else what boards scatter by.
Response response_of(SourceId source, const Knowledge& knowledge, const EstimateOptions& options);

/// Writes a method's energy into the estimate, gain and all.
void fill(EnergyEstimate& estimate, PaddedEnergy energy, const Response& response);

/// Leaves an estimate without numbers; source, method and reasons stay.
void forget_numbers(EnergyEstimate& estimate);

}  // namespace truewatt::energy
