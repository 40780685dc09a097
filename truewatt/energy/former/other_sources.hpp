#pragma once

#include <optional>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/former/padded_energy.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// Mean power over [begin, end], in watts, from the GPU's power source that looked longest: idle
/// beside a window whose own source shows too little of it.
std::optional<Uncertain> idle_from_power(const Recording& recording, HostTime begin, HostTime end);

/// How other power sources that claim to see the same thing compare with the idle power of the
/// source that decided, beside the window. What differs there only because other work ended a
/// little before, or began a little after, does not count.
struct Disagreement {
  bool at_edge = false;  ///< one differs at the begin: it may still show what ran before
  /// One differs there and `padding` after the window as well; or differs as no lag does where the
  /// source that decided showed too little idle of its own: shows less than its idle on the other
  /// side, or at once more than the idle that was taken from elsewhere.
  bool persistent = false;
};
Disagreement disagreement_of(const Recording& recording, const Window& window, SourceId decided,
                             const PaddedEnergy& energy, Nanoseconds padding);

}  // namespace truewatt::energy
