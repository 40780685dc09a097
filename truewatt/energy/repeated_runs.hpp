#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "truewatt/energy/results.hpp"

namespace truewatt::energy {

/// What gain and offset of its sensor leave unknown of an estimate's gross energy, J.
struct GainAndOffset {
  double gain_j = 0.0;
  double offset_j = 0.0;
};

/// Where the budget has both as one, net energy, which knows no offset, tells them apart; all is
/// offset where there is none. Needs a gross energy. Pure.
GainAndOffset gain_and_offset(const EnergyEstimate& estimate);

/// J, of all terms of this name in the budget; 0 without one.
double term_of(const EnergyEstimate& estimate, std::string_view name);

/// Terms that are errors of what is known of a source: the same in every run of it.
inline constexpr std::array<std::string_view, 3> kCommonCauses = {"lag", "model", "relative_gain"};
/// What a load in step with its sensor hides, in every run.
inline constexpr std::string_view kPhaseLock = "phase_lock";

/// Why there are as many runs as there are: their number or time was given, which knows nothing of
/// the scatter; or the scatter looked small enough.
enum class Stopping { planned, when_narrow };
/// So much wider is the scatter of runs that ended when they looked narrow enough: runs that agree
/// by chance end early (docs/method.md, section 11).
inline constexpr double kStoppedWhenNarrow = 1.15;

/// Standard uncertainty of a mean of repeated values whose 95 % interval is 1.96 of it, by their
/// scatter: Student's t for few. Of two values or more.
double scatter_of_mean(const std::vector<double>& values, Stopping stopping);

}  // namespace truewatt::energy
