#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/energy/results/results.hpp"

// Gain and offset between a source and the board's power, and what they do to an estimate.
namespace truewatt::energy {

/// Gain and offset of a source, with their uncertainties.
struct Response {
  Uncertain gain{1.0, 0.0};
  Uncertain offset_w{0.0, 0.0};
  double correlation = 0.0;  ///< of the two
  bool calibrated = false;
};

/// As calibrated, else what boards scatter by.
Response response_of(SourceId source, const Knowledge& knowledge, const EstimateOptions& options);

/// Energies on a source's scale.
struct ScaleEnergy {
  Uncertain gross_j;
  std::vector<uncertainty::Term> budget;  ///< of gross_j
  std::optional<Uncertain> net_j;
  std::optional<double> baseline_w;
  std::optional<BaselineKind> baseline_kind;
  bool other_baseline = false;  ///< idle at another level would make another net energy
  std::optional<double> idle_after_w;
};

/// Writes them into the estimate, gain, offset and all.
void fill(EnergyEstimate& estimate, ScaleEnergy energy, const Response& response);

}  // namespace truewatt::energy
