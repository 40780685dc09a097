#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/base/time_span.hpp"
#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/idle/results.hpp"
#include "truewatt/trace/trace.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::idle {

/// When the board stood on a rung.
struct Stretch {
  Rung rung = Rung::bare;
  HostSpan span;
  bool reached =
      true;  ///< its begin is when the rung was reached; else it may have been there long
};

/// What the recording shows of a stretch.
struct SeenStretch {
  Rung rung = Rung::bare;
  std::optional<uncertainty::Budget> power_w;  ///< of the part that counts
  std::optional<Seconds> settled;              ///< since it was reached
  bool has_settled = false;
  Seconds counted{0};
  Seen seen;
  bool clock_moved = false;
};

/// Power and clocks of each stretch from one course of the recording's power, without the time in
/// which it settles and the SM clock comes to where it stays; where they do not, of its last third.
/// Right after work (Rung::active) what counts is from 0.3 s behind it on, 2.5 s at most, settled
/// or not: what that shows is gone when the board is at rest. Stretches in order of time. Pure.
std::vector<SeenStretch> look_at(const Recording& recording, const energy::Knowledge& knowledge,
                                 const energy::EstimateOptions& options,
                                 std::span<const Stretch> stretches);

}  // namespace truewatt::idle
