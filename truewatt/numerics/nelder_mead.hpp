#pragma once

#include <functional>
#include <span>
#include <vector>

namespace truewatt::numerics {

struct NelderMeadOptions {
  /// It ends when no corner of the simplex is further than this from the best one in any
  /// coordinate, and no value differs by more than value_tolerance from the best.
  double point_tolerance = 1e-4;
  double value_tolerance = 1e-4;
  int most_iterations = 1000;
};

/// Where the search ended.
struct Minimum {
  std::vector<double> at;
  double value = 0.0;
  int evaluations = 0;
  bool converged = false;
};

/// A local minimum of `function` by the simplex method (Nelder, Mead 1965, The Computer Journal
/// 7:308), with reflection 1, expansion 2, contraction and shrinkage 1/2. The first simplex is
/// `start` and, for every coordinate, `start` with 5 % more of it (0.00025 where it is 0), as in
/// the library that the artifact of Yang 2024 calls: where a local search ends depends on where it
/// begins. No derivatives; finds the nearest valley and not the deepest.
Minimum nelder_mead(const std::function<double(std::span<const double>)>& function,
                    const std::vector<double>& start, const NelderMeadOptions& options = {});

}  // namespace truewatt::numerics
