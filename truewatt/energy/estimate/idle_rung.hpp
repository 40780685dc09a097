#pragma once

#include <optional>

#include "truewatt/energy/results/baseline.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// What idle a recording's idle stretch is, by what was noted beside its readings (docs/method.md,
/// section 5): P-state, memory in use and SM clock, each compared with those elsewhere in the
/// recording. Absent where nothing was noted within the stretch, where it changed, or where
/// the recording shows nothing else to compare it with. Pure.
std::optional<IdleRung> rung_of(const Recording& recording, HostTime begin, HostTime end);

}  // namespace truewatt::energy
