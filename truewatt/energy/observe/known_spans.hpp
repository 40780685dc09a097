#pragma once

#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// How a source that nobody characterized shows known work.
struct SeenLate {
  double later_s = 0.0;        ///< than is assumed, behind the filter
  double later_sd = 0.0;       ///< to so much
  double time_constant = 0.0;  ///< s, of its filter; 0: none shows ...
  double constant_sd = 0.0;    ///< ... and none that is slower is like it
  /// Whether the readings are nearly all that: behind a filter, work of several levels is not.
  bool explains = true;
};

/// The shift and the filter with which the readings follow least squares best what ran in `work`,
/// in order of time, at one level. Nothing where they do not tell it much better than what is
/// assumed, or where others, apart from it, fit nearly as well. Pure.
std::optional<SeenLate> seen_late(const ObservedSource& source, const std::vector<TimeSpan>& work);

/// Places the readings of such sources by it. Pure.
void place_by_known_work(ObservedBoard& board, const std::vector<TimeSpan>& work);

}  // namespace truewatt::energy
