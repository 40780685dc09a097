#pragma once

#include "truewatt/base/time.hpp"

namespace truewatt {

/// Idle kept before and after a load, outside its window: a load's context begins and ends there,
/// and what estimates idle power looks no further.
inline constexpr Seconds kIdleMargin{1.0};

/// Idle recorded on either side of a load: its margin, and the update period of a slow source.
inline constexpr Nanoseconds kRecordedIdle = to_nanoseconds(1.2 * kIdleMargin);
static_assert(kRecordedIdle == std::chrono::milliseconds(1200));

}  // namespace truewatt
