#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "truewatt/energy/results/results.hpp"

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
/// Steps of the readings, which may round every run the same way.
inline constexpr std::string_view kQuantum = "quantum";
/// What two ways of telling an energy differ by, where readings do not follow the model: nobody
/// knows which is right, nor whether it is the same one in every run.
inline constexpr std::string_view kMisfitTerm = "misfit";

/// What the run's own budget leaves unknown, J, without gain and offset and common causes.
struct OwnDoubt {
  double random = 0.0;  ///< without what may be alike in all runs: phase lock, quantum, misfit
  double all = 0.0;
};
/// Absent where the load may be in step with its source: what that hides, no budget knows.
std::optional<OwnDoubt> own_doubt_of(const EnergyEstimate& estimate);

inline constexpr std::string_view kWithinRuns = "within_runs";
inline constexpr std::string_view kScatter = "scatter";

/// Whether more runs make a term of their mean smaller.
inline bool averages_out(std::string_view term) { return term == kScatter || term == kWithinRuns; }

/// Half-width of a mean's 95 % interval at which its runs end; absent where their number or time is
/// given, which knows nothing of the scatter.
using EndsAt = std::optional<double>;

/// One of several runs, in one unit.
struct RunValue {
  double value = 0.0;
  std::optional<OwnDoubt> own;
};
/// Fewer runs hardly tell how they scatter.
inline constexpr int kFewestRuns = 5;

/// Mean of several runs, in their unit.
struct MeanOfRuns {
  double value = 0.0;
  double standard_error = 0.0;  ///< by how they differ
  double freedom = 1.0;         ///< degrees of freedom of that
  /// The mean is known no better than by this standard uncertainty: that of runs which hardly saw
  /// the work, for where a load is in step with its source they may agree because none of them saw
  /// it; of fewer than kFewestRuns that of all, for two agree by chance.
  double own = 0.0;
  std::vector<double> weights;  ///< of the runs, sum 1
};

/// Each counts by what it knows and by how much they differ beyond that (numerics/pooled_mean.hpp);
/// all alike where one does not know what it hides.
/// `whole` is the gross energy of a run in the values' unit. Of two runs or more. Pure.
MeanOfRuns mean_of_runs(const std::vector<RunValue>& runs, double whole);

/// What a mean's runs leave unknown of it, as terms of its budget.
struct TermsOfRuns {
  double scatter = 0.0;
  double within = 0.0;  ///< what is missing to MeanOfRuns::own
};

/// Beside `others`, all else that is unknown of the mean: 1.96 times the quadrature of all three is
/// a 95 % interval. The scatter has Student's t, as far as that of a few runs is a part of the
/// whole (Welch and Satterthwaite; JCGM 100, G.4.1). Wider where the runs ended, or might have, for
/// what their interval looked like: runs that agree by chance end early (docs/method.md, section
/// 11). Pure.
TermsOfRuns terms_beside(const MeanOfRuns& mean, double others, EndsAt ends_at);

}  // namespace truewatt::energy
