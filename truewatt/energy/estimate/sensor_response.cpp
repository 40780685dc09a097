#include "truewatt/energy/estimate/sensor_response.hpp"

#include <cmath>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

EnergyInterval with_scale(const Uncertain& energy, double scale_j) {
  const double sd = numerics::quadrature({energy.standard_uncertainty, scale_j});
  return {interval95({energy.value, sd}), sd, scale_j};
}

}  // namespace

Response response_of(SourceId source, const Knowledge& knowledge, const EstimateOptions& options) {
  for (const Calibration& calibration : knowledge.calibrations) {
    if (calibration.source != source) continue;
    return {{calibration.gain.value, standard_uncertainty_of(calibration.gain)},
            {calibration.offset_w.value, standard_uncertainty_of(calibration.offset_w)},
            0.0,
            true};
  }
  return {options.board.gain, options.board.offset_w, options.board.correlation, false};
}

// sensor = gain * power + offset.
void fill(EnergyEstimate& estimate, ScaleEnergy energy, const Response& response) {
  const double length = estimate.window.count();
  const double gain = response.gain.value;
  const double offset = response.offset_w.value;
  const ScaleUncertainty scale{response.gain.standard_uncertainty / gain,
                               response.offset_w.standard_uncertainty / gain, response.correlation};
  const auto undone = [gain](const Uncertain& x, double offset_part) {
    return Uncertain{(x.value - offset_part) / gain, x.standard_uncertainty / gain};
  };
  const Uncertain gross = undone(energy.gross_j, offset * length);
  const double scale_j = scale.of(Joules(gross.value), estimate.window);
  estimate.scale = scale;
  estimate.energy = with_scale(gross, scale_j);
  estimate.mean_power = Watts(gross.value / length);
  if (energy.net_j) {
    const Uncertain net = undone(*energy.net_j, 0.0);
    estimate.net_energy = with_scale(net, scale.gain * std::abs(net.value));
  }
  if (energy.baseline_w) estimate.baseline = Watts((*energy.baseline_w - offset) / gain);
  estimate.baseline_kind = energy.baseline_kind;
  if (energy.idle_after_w) estimate.idle_after = Watts((*energy.idle_after_w - offset) / gain);
  for (uncertainty::Term& term : energy.budget) term.u /= gain;
  estimate.budget = std::move(energy.budget);
  if (response.calibrated) {
    estimate.budget.push_back({Cause::calibrated_gain, scale.gain * std::abs(gross.value)});
    estimate.budget.push_back({Cause::calibrated_offset, scale.offset_w * length});
    return;
  }
  // Gain and offset that nobody measured are one ignorance, and one term.
  estimate.budget.push_back({Cause::gain, scale_j});
  add_reason(estimate, Reason::uncalibrated_gain);
}

}  // namespace truewatt::energy
