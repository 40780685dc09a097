#pragma once

#include "truewatt/energy/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// True when what is known to have run excludes that the load keeps in step with a source that
/// publishes every `period_s` seconds: it ran for many periods without a break, or its begins fall
/// evenly on all phases of the period and of its first harmonics (docs/method.md, section 6).
/// False where nothing is known: a constant reading may be a constant load or a locked one.
bool activity_excludes_lock(const Recording& recording, const Window& window, double period_s);

}  // namespace truewatt::energy
