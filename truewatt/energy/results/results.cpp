#include "truewatt/energy/results/results.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {

double ScaleUncertainty::with_offset(Joules energy, Seconds over) const {
  return offset_w * over.count() + correlation * gain * energy.value();
}

double ScaleUncertainty::gain_alone(Joules energy) const {
  return std::sqrt(1 - correlation * correlation) * gain * energy.value();
}

double ScaleUncertainty::of(Joules energy, Seconds over) const {
  return numerics::quadrature({with_offset(energy, over), gain_alone(energy)});
}

Interval on_sensor_scale(const EnergyInterval& energy) {
  return interval95({energy.interval.value, energy.without_gain()});
}

Status status_of(const EnergyEstimate& estimate) {
  if (!estimate.energy || !estimate.valid) return Status::none;
  return estimate.resolved ? Status::result : Status::imprecise;
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::result:
      return "result";
    case Status::imprecise:
      return "imprecise";
    case Status::none:
      break;
  }
  return "none";
}

void add_reason(EnergyEstimate& estimate, Reason reason) { add_reason(estimate.reasons, reason); }

double EnergyInterval::without_gain() const {
  const double squares =
      standard_uncertainty * standard_uncertainty - gain_uncertainty * gain_uncertainty;
  return std::sqrt(std::max(0.0, squares));
}

std::optional<double> half_width_without_gain(const EnergyEstimate& estimate) {
  if (!estimate.energy || !(estimate.energy->interval.value > 0)) return std::nullopt;
  return kCoverageFactor95 * estimate.energy->without_gain() / estimate.energy->interval.value;
}

std::optional<double> deviation_of(const ReaderEnergy& reader, const EnergyEstimate& estimate,
                                   Joules reference) {
  constexpr double kSameLength = 1e-9;
  if (!reader.energy) return std::nullopt;
  const Seconds more = reader.over - estimate.window;
  if (std::abs(more.count()) > kSameLength * estimate.window.count()) {
    if (!estimate.baseline) return std::nullopt;
    reference += *estimate.baseline * more;
  }
  if (!(reference.value() > 0)) return std::nullopt;
  return reader.energy->value() / reference.value() - 1.0;
}

bool rests_on_catalogue(const EnergyEstimate& estimate) {
  return has_reason(estimate.reasons, Reason::from_catalogue);
}

}  // namespace truewatt::energy
