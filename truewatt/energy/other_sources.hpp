#pragma once

#include <optional>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/padded_energy.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// Mean power over [begin, end], in watts, from the GPU's power source that looked longest: idle
/// beside a window whose own source shows too little of it.
std::optional<Uncertain> idle_from_power(const Recording& recording, HostTime begin, HostTime end);

/// How other power sources that claim to see the same thing compare with the idle power of the
/// source that decided: before and after the window and all work beside it that a source may still
/// show.
struct Disagreement {
  bool at_begin = false;    ///< one differs there: it may still show what ran before
  bool persistent = false;  ///< one differs there and `padding` after all that as well
};
Disagreement disagreement_of(const Recording& recording, const Window& window, SourceId decided,
                             const PaddedEnergy& energy, Nanoseconds padding);

}  // namespace truewatt::energy
