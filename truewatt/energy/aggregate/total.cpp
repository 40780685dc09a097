#include "truewatt/energy/aggregate/total.hpp"

#include "truewatt/energy/aggregate/estimate_budget.hpp"

namespace truewatt::study {

EnergyTotal total_of(const std::vector<energy::EnergyEstimate>& devices) {
  const auto sum = [&devices](energy::Quantity quantity) -> std::optional<energy::EnergyInterval> {
    const auto budget = energy::total_budget(devices, quantity);
    return budget ? std::optional(energy::energy_interval(*budget)) : std::nullopt;
  };
  return {sum(energy::Quantity::gross), sum(energy::Quantity::net)};
}

}  // namespace truewatt::study
