#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/base/time.hpp"

namespace truewatt::sensor {

/// When the host had the meter's frame of this tick.
struct TickStamp {
  std::int64_t ticks = 0;
  HostTime seen;
};

/// The meter's ticks on the host's axis.
struct TickLine {
  double ticks_per_ms = 0.0;
  std::int64_t ticks = 0;  ///< of the line's anchor ...
  HostTime time;           ///< ... and its time

  HostTime at(std::int64_t tick) const;
};

/// Turns of the 16-bit tick that were lost before each stamp with the bytes that told them: where
/// the host's clock gains more than half a turn on the ticks and keeps that for a second. Stamps
/// are in order; a stamp that was only late counts nothing.
std::vector<std::int64_t> lost_turns(std::span<const TickStamp> stamps);

/// The line through the stamps, by least squares: the rate is calibrated against the host's clock,
/// and times are late by what bytes take on their way on the mean (milliseconds). Below two seconds
/// the rate is the nominal one. Errors: insufficient_data without stamps, device when the rate is
/// farther than 2 % from that of any PMD-USB seen: the ticks are no clock then.
Result<TickLine> fit_ticks(std::span<const TickStamp> stamps);

}  // namespace truewatt::sensor
