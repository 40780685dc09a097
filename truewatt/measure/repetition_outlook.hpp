#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/energy/aggregate/execution_mean.hpp"

namespace truewatt::measure {

/// What further trials leave of a mean's uncertainty: half-width of its 95 % interval, without the
/// gain, as a share of the energy, and the cause that has most of it.
struct Irreducible {
  double half_width = 0.0;
  uncertainty::Cause most = uncertainty::Cause::scatter;
};

/// Of a mean that has an energy. Pure.
Irreducible irreducible_of(const energy::EnergyEstimate& mean);

/// The same by one of the trials: what the source's profile leaves open in all of them. Absent
/// without an energy. Pure.
std::optional<Irreducible> irreducible_of(const energy::Trial& trial);

/// How many trials bring a mean of `trials`, which has an energy above 0, to a half-width of
/// `target`, a share; infinity where none do. Pure.
double trials_for(const energy::EnergyEstimate& mean, int trials, double target);

/// That some of a GPU's trials are left out of the mean, if some are and not all. Pure.
std::optional<std::string> left_out_note(const std::vector<energy::Trial>& trials, int gpu);

/// That the energies of a GPU's trials, in order, are those of a board that is not steady. Pure.
std::optional<std::string> drift_note(const std::vector<energy::Trial>& trials, int gpu);

}  // namespace truewatt::measure
