#include "truewatt/energy/former/sensor_response.hpp"

#include <cmath>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// Undoes gain and offset: sensor = gain * power + offset.
void apply_response(PaddedEnergy& energy, const Response& response, double length) {
  const double gain = response.gain.value;
  const double offset = response.offset_w.value;
  const auto undo = [gain](Uncertain& x, double offset_part) {
    x = {(x.value - offset_part) / gain, x.standard_uncertainty / gain};
  };
  undo(energy.gross_j, offset * length);
  undo(energy.net_j, 0.0);
  undo(energy.baseline_w, offset);
  undo(energy.idle_after_w, offset);
  for (uncertainty::Term& term : energy.budget) term.u /= gain;
}

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

void fill(EnergyEstimate& estimate, PaddedEnergy energy, const Response& response) {
  const double length = estimate.window.count();
  apply_response(energy, response, length);
  const double gain_sd = response.gain.standard_uncertainty / response.gain.value;
  const double offset_sd = response.offset_w.standard_uncertainty * length / response.gain.value;
  estimate.energy = with_gain(energy.gross_j, gain_sd, offset_sd);
  estimate.net_energy = with_gain(energy.net_j, gain_sd, 0.0);
  estimate.baseline = Watts(energy.baseline_w.value);
  estimate.idle_after = Watts(energy.idle_after_w.value);
  estimate.mean_power = Watts(energy.gross_j.value / length);
  estimate.budget = std::move(energy.budget);
  const double gain_j = gain_sd * std::abs(energy.gross_j.value);
  if (response.calibrated) {
    estimate.budget.push_back({uncertainty::Cause::calibrated_gain, gain_j});
    estimate.budget.push_back({uncertainty::Cause::calibrated_offset, offset_sd});
    return;
  }
  // Gain and offset that nobody measured are one ignorance, and one term.
  estimate.budget.push_back({uncertainty::Cause::gain, numerics::quadrature({gain_j, offset_sd})});
  add_reason(estimate, Reason::uncalibrated_gain);
}

void forget_numbers(EnergyEstimate& estimate) {
  estimate.energy.reset();
  estimate.net_energy.reset();
  estimate.mean_power.reset();
  estimate.baseline.reset();
  estimate.idle_after.reset();
  estimate.budget.clear();
}

}  // namespace truewatt::energy
