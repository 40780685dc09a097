#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/base/units.hpp"

namespace truewatt::idle {

/// What a board does while it does no work, from the least on.
enum class Rung {
  bare,      ///< this process has no context on the device
  context,   ///< it has one, and nothing has run since the board came to rest
  active,    ///< it has one, right after work: energy/results/baseline.hpp has the same name
  resident,  ///< a warp on every multiprocessor, whose threads sleep
  spinning,  ///< a thread on every multiprocessor, in a loop in which hardly a bit switches
};
inline constexpr Rung kRungs[] = {Rung::bare, Rung::context, Rung::active, Rung::resident,
                                  Rung::spinning};
/// "bare", "context", "active", "resident", "spinning".
constexpr std::string_view to_string(Rung rung) {
  switch (rung) {
    case Rung::bare:
      return "bare";
    case Rung::context:
      return "context";
    case Rung::active:
      return "active";
    case Rung::resident:
      return "resident";
    case Rung::spinning:
      break;
  }
  return "spinning";
}

/// Why a row has no number, or what its reader must know.
enum class Reason {
  other_context,  ///< another process seems to hold a context, so that this one's absence is hidden
  other_work,     ///< another process worked meanwhile: nothing here is idle
  not_settled,    ///< the power still moved when the stretch ended
  clock_moved,    ///< the SM clock was not one and the same while the power was taken
  no_energy,      ///< the readings give no energy of it
  cannot_sleep,   ///< the device's threads cannot sleep
  not_reached,    ///< it had no turn
};
/// The code in JSON.
constexpr std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::other_context:
      return "other_context";
    case Reason::other_work:
      return "other_work";
    case Reason::not_settled:
      return "not_settled";
    case Reason::clock_moved:
      return "clock_moved";
    case Reason::no_energy:
      return "no_energy";
    case Reason::cannot_sleep:
      return "cannot_sleep";
    case Reason::not_reached:
      break;
  }
  return "not_reached";
}

/// What NVML said beside the readings: means, and of the last two the latest.
struct Seen {
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> memory_used_bytes;
  std::optional<double> utilization;  ///< share of the time
  std::optional<int> p_state;
  std::optional<double> temperature_c;
};

/// One rung at one SM clock. Intervals are 95 %.
struct Row {
  Rung rung = Rung::bare;
  std::optional<Interval> power_w;          ///< on this sensor's scale
  std::optional<Interval> against_meter_w;  ///< with what gain and offset of the sensor may err by
  std::optional<Interval> above_context_w;  ///< without its own offset; absent of the context
  Seen seen;
  /// From when the rung was reached until the power stayed: the longest. Of `active`, until the
  /// board was at rest again. Absent where it did not, or nothing shows when it was reached.
  std::optional<Seconds> settled;
  int stretches = 0;   ///< whose mean it is
  Seconds counted{0};  ///< of them together
  std::vector<Reason> reasons;
};

/// `truewatt characterize --idle` of one device.
struct Ladder {
  std::string tool_version;
  DeviceIdentity device;
  DriverTime start;
  Seconds took{0};
  std::vector<Row> rows;  ///< in the rungs' order, of one rung by clock; each rung has one at least
  bool calibrated = false;
  std::vector<std::string> notes;
  bool interrupted = false;
};

}  // namespace truewatt::idle
