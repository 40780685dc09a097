#pragma once

#include <vector>

namespace truewatt::numerics {

/// A measured value and its own standard uncertainty, in one unit.
struct Measured {
  double value = 0.0;
  double sd = 0.0;
};

/// Mean of values of which each is known in its own way, and which differ by more than that.
struct PooledMean {
  double mean = 0.0;
  /// By how they scatter around it, as weighted, and by what they know themselves where that tells
  /// more.
  double standard_error = 0.0;
  /// Degrees of freedom of that: of as many values as would weigh alike, 1/(sum of squared
  /// weights), less 1, at least 1; and up to one for what the values know themselves.
  double freedom = 1.0;
  std::vector<double> weights;  ///< in the values' order, sum 1
};

/// The random-effects mean: weights 1/(u_i^2 + t^2), t the standard deviation between the values
/// beyond their own uncertainties (DerSimonian, Laird, Control. Clin. Trials 7 (1986) 177), and its
/// scatter (Hartung, Knapp, Stat. Med. 20 (2001) 1771, eq. 3; their n - 1 degrees of freedom are
/// too many where few weigh most). Of values that are known alike it is the plain mean and its
/// standard error; one that is known far worse than the others counts for little. Five values or
/// more of which fewer than three weigh most (freedom below 2) hardly tell a scatter: their own
/// uncertainties stand beside it as a prior of its square (Smyth, Stat. Appl. Genet. Mol. Biol. 3
/// (2004) 3, eq. 1), as far as these and not t make it, where that leaves less unknown. Of two
/// values or more. Pure.
PooledMean pooled_mean(const std::vector<Measured>& values);

}  // namespace truewatt::numerics
