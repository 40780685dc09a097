#include "truewatt/energy/aggregate/total.hpp"

#include "truewatt/energy/aggregate/estimate_budget.hpp"

namespace truewatt::energy {

EnergyTotal total_of(const std::vector<EnergyEstimate>& devices) {
  const auto sum = [&devices](Quantity quantity) -> std::optional<EnergyInterval> {
    const auto budget = total_budget(devices, quantity);
    return budget ? std::optional(energy_interval(*budget)) : std::nullopt;
  };
  return {sum(Quantity::gross), sum(Quantity::net)};
}

}  // namespace truewatt::energy
