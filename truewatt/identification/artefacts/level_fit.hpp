#pragma once

#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/identification/fit/joint_fit.hpp"

namespace truewatt::identification {

/// What a source made of work of one level below full.
struct LevelFit {
  double height = 0.0;  ///< Work::height of its stretches, by which they are told apart
  Uncertain share;      ///< settled step over that of full work
  Uncertain later_s;    ///< how much later than full work it shows, s; 0 of a linear sensor
};

/// Amplitude and lag of every level of work beside those of full work (docs/method.md, eq. 18a):
/// one linear least-squares solution in which window, delay, lag and the board's shape are those of
/// `fit` and each level's amplitude and shift are free. Nothing where there is but one level, or
/// for a fit to a meter. Pure.
std::vector<LevelFit> fit_levels(const FitData& data, const JointFit& fit);

}  // namespace truewatt::identification
