#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/energy/aggregate/repeated_runs.hpp"
#include "truewatt/energy/results/results.hpp"

namespace truewatt::energy {

/// One run of a and one of b, made one after the other: an estimate per device, in any order.
struct RunPair {
  std::vector<EnergyEstimate> a;
  std::vector<EnergyEstimate> b;
};

/// Which energy is compared.
enum class Quantity { gross, net };

/// Ratio b / a of the energies of all devices, from pairs of runs (docs/method.md, section 11).
/// What one parameter of a board and its source is wrong by stands on both sides, so that the gain
/// cancels, and of gross energies that part of the offset that both have alike. Of one pair the
/// uncertainty is that of the two budgets; of several, the scatter of their logarithms and what
/// all of them share. The budget of one pair's net energies names "readings" what is random: their
/// own terms are not kept. A pair where an energy is missing or not positive is left out; absent
/// where none is left. `ends_at` is a share of the ratio. Pure.
std::optional<EnergyRatio> energy_ratio(std::span<const RunPair> pairs, Quantity quantity,
                                        EndsAt ends_at = {});

}  // namespace truewatt::energy
