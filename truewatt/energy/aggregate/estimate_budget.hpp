#pragma once

#include <optional>
#include <span>
#include <string>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/uncertainty/budget.hpp"

// Estimates as budgets (truewatt/uncertainty), so that totals, means and ratios are calls of these.
namespace truewatt::energy {

/// Which energy is meant.
enum class Quantity { gross, net };

/// Which of several runs an estimate is of, and of which program.
struct RunOf {
  std::string program;
  int run = 0;
};

/// What is known of the scale of the sensor that decided. An estimate of an older file does not
/// say: where its budget has gain and offset as one, net energy, which knows no offset, shows them
/// apart; all is offset where there is none. Needs a gross energy. Pure.
ScaleUncertainty scale_of(const EnergyEstimate& estimate);

/// The estimate's energy, J, with the components of its uncertainty; of net energy, whose own terms
/// are not kept, those of the gross energy that come back in every run, and `readings` for the
/// rest. Needs that energy. Pure.
uncertainty::Budget budget_of(const EnergyEstimate& estimate, Quantity quantity,
                              const RunOf& of = {});

/// Idle energy over `length` with its components: what a baseline of the estimate's sensor may be
/// off by. 0 without a baseline. Pure.
uncertainty::Budget idle_budget(const EnergyEstimate& estimate, Seconds length,
                                const RunOf& of = {});

/// Sum over devices; absent where one has none of that energy, or there is no device. Pure.
std::optional<uncertainty::Budget> total_budget(std::span<const EnergyEstimate> devices,
                                                Quantity quantity, const RunOf& of = {});

/// Whether no budget of these leaves out what a load in step with its source hides.
bool is_known(std::span<const EnergyEstimate> estimates);

EnergyInterval energy_interval(const uncertainty::Budget& budget);

}  // namespace truewatt::energy
