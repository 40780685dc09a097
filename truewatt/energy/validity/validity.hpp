#pragma once

#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// NVML's clocks-event reasons that limit clocks: power cap, slowdowns, thermal, brake
/// (nvml.h: 0x4 | 0x8 | 0x20 | 0x40 | 0x80).
inline constexpr std::uint64_t kLimitingReasons = 0xEC;

/// When an energy counter was first seen to have gone backwards; empty for power sources.
std::vector<HostTime> counter_resets(const Trace& trace);

/// Why what was recorded of a window is not whole, whatever its sources say: device lost, readings
/// lost, clock stepped, clock limit changed.
std::vector<Reason> why_window_not_whole(const Recording& recording, const Window& window);

/// Why the data of a window are not whole: device lost, source silent, counter reset, clock
/// stepped, clock limit changed. Empty: they are whole. `period_s` is the usual interval between
/// the source's publications. Only what happened in [from, to], the window with its padding,
/// counts; a counter reset and a clock limit only inside the window itself.
std::vector<Reason> why_not_whole(const Recording& recording, const Trace& trace,
                                  const Window& window, HostTime from, HostTime to,
                                  double period_s);

}  // namespace truewatt::energy
