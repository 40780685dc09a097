#pragma once

#include <span>
#include <vector>

#include "truewatt/microbenchmark/batch.hpp"

namespace truewatt::instructions {

/// What a warm board draws more above idle, by what it drew in the seconds before
/// (Point::recent_w).
struct Warmth {
  double share_per_watt = 0.0;
  double reference_w = 0.0;  ///< the mean of all points, that their energies are brought to

  /// The point as if the board had drawn `reference_w` before.
  microbenchmark::Point removed_from(microbenchmark::Point point) const;
};

/// By all rows together, by points of each: what is left of a row's energies beside its line over
/// counts, against what is left of the recent powers (Frisch, Waugh, Econometrica 1 (1933) 387).
/// Nothing where rows have too few points, or know it no better than it may be large. Pure.
Warmth warmth_of(std::span<const std::vector<microbenchmark::Point>> rows);

}  // namespace truewatt::instructions
