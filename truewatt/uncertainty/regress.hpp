#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/uncertainty/budget.hpp"
#include "truewatt/uncertainty/common_scatter.hpp"

namespace truewatt::uncertainty {

/// Why the runs ended, which says whether chance had a hand in their scatter.
enum class EndedBy {
  design,  ///< their number or time was given
  target,  ///< their interval was as narrow as wanted: runs that agree by chance end early
};

/// How runs are weighed.
struct RunOptions {
  EndedBy ended_by = EndedBy::design;
  /// False: some run does not know what it hides, and all count alike.
  bool known = true;
  /// What a run would have seen of its work, in the values' unit: one that is known no better than
  /// to half of it hardly saw it. Absent: the value of the run that is known best.
  std::optional<double> whole{};
  /// How the runs scatter, as far as more than they tell: replaces what they show themselves.
  std::optional<Scatter> scatter{};
};

/// Coefficients of a linear model of several runs, and how much each run counts in them.
struct Regression {
  std::vector<Budget> coefficients;          ///< one per column
  std::vector<std::vector<double>> weights;  ///< [column][run]: coefficient = sum weights * values
};

/// How runs that count alike scatter around their fit; nothing where none is left to show it.
std::optional<Scatter> scatter_of(std::span<const std::vector<double>> columns,
                                  std::span<const Budget> runs);

/// Fits runs = sum over columns of coefficient * column (docs/method.md, section 11, eq. 24). A run
/// counts by what it knows, its causes that average out, and by how much runs differ beyond that
/// (random effects by the method of moments: DerSimonian, Laird, Control. Clin. Trials 7 (1986)
/// 177). Errors that come back every run are carried to the coefficients. The others are replaced
/// by the scatter around the fit (Hartung, Knapp, Stat. Med. 20 (2001) 1771) with Student's t of n
/// - columns degrees of freedom, a factor 1.15 larger where a target ended the runs. Runs that
/// hardly saw their work may agree because none of them saw it: `within_runs` adds what is missing
/// to the sum of their own. With as many runs as columns the scatter is unknown, and the runs' own
/// errors stay, unless `scatter` is given: then each run counts by that or by what it knows,
/// whichever is worse. Each column has as many values as there are runs. Errors: insufficient_data
/// with fewer runs than columns, ill_conditioned where columns depend on each other.
Result<Regression> regress(std::span<const std::vector<double>> columns,
                           std::span<const Budget> runs, const RunOptions& options = {});

/// Mean of runs: regress() on one column of ones.
struct RunMean {
  Budget budget;
  std::vector<double> weights;  ///< of the runs, sum 1
};
/// At least one run.
RunMean mean_of_runs(std::span<const Budget> runs, const RunOptions& options = {});

/// Fewer runs hardly tell how they scatter.
inline constexpr int kFewestRuns = 5;

/// The terms but for gain and offset, which no target asks for.
std::vector<Term> without_scale(std::span<const Term> terms);

/// What more runs leave of a standard uncertainty, and the cause that has most of it
/// (Cause::scatter where nothing stays).
struct Irreducible {
  double u = 0.0;
  Cause most = Cause::scatter;
};
Irreducible irreducible_of(std::span<const Term> terms);

/// How many runs bring a result of `runs` to a 95 % half-width of `target`, in the terms' unit;
/// infinity where none do.
double runs_for(std::span<const Term> terms, double runs, double target);

}  // namespace truewatt::uncertainty
