#pragma once

#include <optional>
#include <vector>

#include "truewatt/memory/level.hpp"

/// What Delestrac et al. (ASAP 2024) published of one A100 at 1065 MHz, for figures beside our
/// data: the numbers of its text. Its curves are drawings, of which nothing is read off.
namespace truewatt::report {

/// Picojoules of a load of a sector, lower bounds of the path above idle (section VI-C, Fig. 7).
double published_pj(memory::Level level);

/// Where a cache's misses begin, and where all of its sectors miss (section V-A, Fig. 2).
struct PublishedStep {
  double begin_bytes = 0.0;
  double end_bytes = 0.0;
};
/// Nothing of levels that are no cache.
std::optional<PublishedStep> published_step(memory::Level level);

/// A number of Figs. 6 and 7: picojoules of a sector by threads of a block.
struct PublishedPoint {
  double threads = 1.0;
  double sector_pj = 0.0;
};
std::vector<PublishedPoint> published_by_threads(memory::Level level);

/// A line of energy over accesses in L1 (section VI-C, Fig. 5).
struct PublishedLine {
  double sector_pj = 0.0;  ///< slope
  double r_squared = 0.0;
};
/// Nothing of other numbers of threads than 1 and 1024.
std::optional<PublishedLine> published_line(unsigned threads);

}  // namespace truewatt::report
