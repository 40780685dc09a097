#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// One reading of an external meter: the power at `time`.
struct MeterSample {
  HostTime time;
  double power_w = 0.0;
};

/// What a meter's times count from.
enum class MeterAxis {
  recording,  ///< the first reading of the recording beside it
  utc,        ///< the epoch
  host,       ///< the recording's own axis: what `place_meter` makes of the others
};

/// The rails that a PMD-USB meters, in the order of its frames. Which board plug is wired to which
/// is the user's doing: a slot riser usually to EPS1, a data-centre board's EPS plug to EPS2.
enum class Rail { pcie1, pcie2, eps1, eps2 };
inline constexpr std::size_t kRails = 4;
std::string_view to_string(Rail rail);
/// Watts by Rail; signed.
using RailPowers = std::array<double, kRails>;

/// Readings of an external meter in order of time.
struct MeterTrace {
  std::string meter;  ///< "PMD-USB", "CSV"
  MeterAxis axis = MeterAxis::utc;
  std::vector<MeterSample> samples;
  std::vector<RailPowers> rails;       ///< beside `samples`; empty for a meter of one number
  std::optional<double> ticks_per_ms;  ///< the rate that the meter's ticks were read at
  std::uint64_t skipped_bytes = 0;     ///< of a dump: bytes that belong to no whole frame
  std::uint64_t rows = 0;              ///< of a CSV: rows read
  std::uint64_t bad_rows = 0;          ///< of a CSV: rows that could not be
  std::vector<std::string> warnings;
};

/// The trace on the recording's host axis. `insufficient_data` when the recording has no reading to
/// count from, `unsupported` when the meter counts from the epoch and the recording has no clock
/// pairs.
Result<MeterTrace> place_meter(MeterTrace meter, const Recording& recording);

/// Energy between two times: the trapezoid sum, linear at both ends. Absent unless the meter has
/// readings at or before `begin` and at or after `end`.
std::optional<Joules> meter_energy(const MeterTrace& meter, HostTime begin, HostTime end);

}  // namespace truewatt::trace
