#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/energy/aggregate/execution_mean.hpp"

namespace truewatt::study {

/// What a mean's uncertainty does not lose by further trials: half-width of its 95 % interval,
/// without the gain, as a share of the energy, and the term that has most of it.
struct Staying {
  double half_width = 0.0;
  std::string most;
};

/// Of a mean that has an energy. Pure.
Staying staying_of(const energy::EnergyEstimate& mean);

/// The same by one of the trials: what all of them have in common. Absent without an energy. Pure.
std::optional<Staying> staying_of(const energy::Trial& trial);

/// How many trials bring a mean of `trials`, which has an energy above 0, to a half-width of
/// `target`, a share; infinity where none do. Pure.
double trials_for(const energy::EnergyEstimate& mean, int trials, double target);

/// That some of a GPU's trials are left out of the mean, if some are and not all. Pure.
std::optional<std::string> left_out_note(const std::vector<energy::Trial>& trials, int gpu);

/// That the energies of a GPU's trials, in order, are those of a board that is not steady. Pure.
std::optional<std::string> drift_note(const std::vector<energy::Trial>& trials, int gpu);

}  // namespace truewatt::study
