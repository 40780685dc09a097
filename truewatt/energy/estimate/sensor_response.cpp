#include "truewatt/energy/estimate/sensor_response.hpp"

#include <cmath>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

EnergyInterval with_gain(const Uncertain& energy, double gain_sd, double offset_sd_j) {
  const double gain = numerics::quadrature({gain_sd * energy.value, offset_sd_j});
  const double sd = numerics::quadrature({energy.standard_uncertainty, gain});
  return {interval95({energy.value, sd}), sd, gain};
}

}  // namespace

Response response_of(SourceId source, const Knowledge& knowledge, const EstimateOptions& options) {
  for (const Calibration& calibration : knowledge.calibrations) {
    if (calibration.source != source) continue;
    return {{calibration.gain.value, standard_uncertainty_of(calibration.gain)},
            {calibration.offset_w.value, standard_uncertainty_of(calibration.offset_w)},
            true};
  }
  return {options.board.gain, options.board.offset_w, false};
}

// sensor = gain * power + offset.
void fill(EnergyEstimate& estimate, ScaleEnergy energy, const Response& response) {
  const double length = estimate.window.count();
  const double gain = response.gain.value;
  const double offset = response.offset_w.value;
  const double gain_sd = response.gain.standard_uncertainty / gain;
  const double offset_sd = response.offset_w.standard_uncertainty * length / gain;
  const auto undone = [gain](const Uncertain& x, double offset_part) {
    return Uncertain{(x.value - offset_part) / gain, x.standard_uncertainty / gain};
  };
  const Uncertain gross = undone(energy.gross_j, offset * length);
  estimate.energy = with_gain(gross, gain_sd, offset_sd);
  estimate.mean_power = Watts(gross.value / length);
  if (energy.net_j) estimate.net_energy = with_gain(undone(*energy.net_j, 0.0), gain_sd, 0.0);
  if (energy.baseline_w) estimate.baseline = Watts((*energy.baseline_w - offset) / gain);
  estimate.baseline_kind = energy.baseline_kind;
  if (energy.idle_after_w) estimate.idle_after = Watts((*energy.idle_after_w - offset) / gain);
  for (uncertainty::Term& term : energy.budget) term.u /= gain;
  estimate.budget = std::move(energy.budget);
  const double gain_j = gain_sd * std::abs(gross.value);
  if (response.calibrated) {
    estimate.budget.push_back({uncertainty::Cause::calibrated_gain, gain_j});
    estimate.budget.push_back({uncertainty::Cause::calibrated_offset, offset_sd});
    return;
  }
  // Gain and offset that nobody measured are one ignorance, and one term.
  estimate.budget.push_back({uncertainty::Cause::gain, numerics::quadrature({gain_j, offset_sd})});
  add_reason(estimate, Reason::uncalibrated_gain);
}

}  // namespace truewatt::energy
