#pragma once

#include <optional>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// Work that is shorter than the readings of slow polls are apart: some of it they show, as single
/// readings off both neighbours, and as much in other places they do not (docs/method.md, section
/// 5, eq. 10a).
struct HiddenBursts {
  double per_second = 0.0;  ///< single readings that are off both neighbours
  double joules = 0.0;  ///< what one of them stands for: root mean square of height and distance

  /// Standard uncertainty of the energy of a window, J.
  double sd_within(double seconds) const;
};

/// What the source shows of them that leaves least between its looks. Nothing where any source
/// looks all the time, or where readings come twice a second. Pure.
std::optional<HiddenBursts> hidden_bursts(const ObservedBoard& board);

}  // namespace truewatt::energy
