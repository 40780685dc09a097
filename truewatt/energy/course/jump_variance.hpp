#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace truewatt::energy {

/// A stretch between two readings of the fastest source; seconds. Its knots, where the power may
/// jump, are so many evenly apart from its begin on, and marks.
struct Cell {
  double begin = 0.0;
  double end = 0.0;
  std::uint32_t knots = 1;
  std::uint32_t first_mark = 0;  ///< in order of time, up to `end_mark`
  std::uint32_t end_mark = 0;
};

/// How high a jump in each cell may be, W: the most that a cell within a second of it lies above
/// `lowest`, or above or below its neighbours. `means` are the cells' mean powers as an earlier
/// pass found them; `lowest` W and `range` W above it are what the board can draw.
std::vector<double> amplitudes_of(const std::vector<Cell>& cells, const std::vector<double>& means,
                                  double lowest, double range);

/// What readings do not show of a cell.
struct Unseen {
  double noise_w = 0.0;  ///< by which its mean scatters at steady power ...
  double noise = 0.0;    ///< ... and by which share of it
  double share = 0.0;    ///< of its length that nothing looks at, or not at a time that is known
};

/// By how much the power may jump within each cell, W^2 (docs/method.md, eq. 9): contrast to the
/// neighbours beyond noise times amplitude, as a pulse has that fills a share of a cell, and a part
/// for what repeats within a cell and shows no contrast.
std::vector<double> jump_variances(const std::vector<double>& means,
                                   const std::vector<double>& amplitudes, double lowest,
                                   double range, const Unseen& unseen);

/// Likewise of what known work leaves, whose steps are known: of what rises above both neighbours,
/// or falls below them.
std::vector<double> remainder_variances(const std::vector<double>& means,
                                        const std::vector<double>& amplitudes, double lowest,
                                        double range);

}  // namespace truewatt::energy
