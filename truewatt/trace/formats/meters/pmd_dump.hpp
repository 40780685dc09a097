#pragma once

#include <array>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::trace {

/// The meter's tick rate, from 150 edges of a square load on one meter (2933.25(1)); others run at
/// 2933 to 2936 per millisecond.
inline constexpr double kPmdTicksPerMs = 2933.25;
/// The first frame is this much older than the start stamp: the logger takes the stamp after the
/// 50 ms that it waits behind the command which starts the stream (measured: 50.14(10) ms).
inline constexpr Nanoseconds kPmdStartLead = std::chrono::milliseconds(50);

struct PmdDumpOptions {
  DriverTime start;  ///< the stamp of `PMD_start_ts.txt`
  Nanoseconds lead = kPmdStartLead;
  double ticks_per_ms = kPmdTicksPerMs;                     ///< above 0
  std::array<bool, kRails> summed{true, true, true, true};  ///< which rails make the power
};

/// Reads the continuous stream of a PMD-USB: 18-byte little-endian frames of a 16-bit tick and
/// eight 12-bit values, voltage and current of four rails, without a mark of where a frame begins.
/// Frames are told by plausibility (value layout, voltages, tick distance); where bytes were lost
/// or garbled the frames at the break are given up, counted in `skipped_bytes`, and the stream is
/// found again. Time follows the ticks, which wrap every 22 ms: a loss of more than that without a
/// trace in the bytes shortens the time axis by as much. Currents keep their sign. Axis: utc.
/// `parse` when the bytes hold no such stream, `invalid_argument` for a tick rate that is none or
/// no rail to sum.
Result<MeterTrace> parse_pmd_dump(std::string_view bytes, const PmdDumpOptions& options);

/// The file beside a dump that says when it began.
inline constexpr const char* kMeterStartFile = "PMD_start_ts.txt";

/// Reads `PMD_start_ts.txt`: microseconds since the epoch.
Result<DriverTime> parse_pmd_start(std::string_view text);

/// Whether a file that begins like this is such a stream.
bool looks_like_pmd_dump(std::string_view start);

}  // namespace truewatt::trace
