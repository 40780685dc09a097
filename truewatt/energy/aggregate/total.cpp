#include "truewatt/energy/aggregate/total.hpp"

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::study {

EnergyTotal total_of(const std::vector<energy::EnergyEstimate>& devices) {
  // Gains of boards of one kind may err alike, so what they leave unknown adds up; the rest adds in
  // squares.
  const auto sum = [&devices](auto member) -> std::optional<energy::EnergyInterval> {
    double value = 0.0;
    double gain = 0.0;
    double plain = 0.0;
    for (const energy::EnergyEstimate& device : devices) {
      const std::optional<energy::EnergyInterval>& energy = device.*member;
      if (!energy) return std::nullopt;
      value += energy->interval.value;
      gain += energy->gain_uncertainty;
      plain = numerics::quadrature({plain, energy->without_gain()});
    }
    const double sd = numerics::quadrature({gain, plain});
    return energy::EnergyInterval{interval95({value, sd}), sd, gain};
  };
  if (devices.empty()) return {};
  return {sum(&energy::EnergyEstimate::energy), sum(&energy::EnergyEstimate::net_energy)};
}

}  // namespace truewatt::study
