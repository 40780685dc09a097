#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/clock_alignment.hpp"
#include "truewatt/base/coded.hpp"
#include "truewatt/base/device.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/trace/event_kind.hpp"
#include "truewatt/trace/work_kind.hpp"

namespace truewatt {

/// One published value and its bracket: the source still showed the value before at `before`, and
/// showed this one at `seen`. The publication lies in (before, seen].
struct Sample {
  HostTime before;
  HostTime seen;
  std::optional<DriverTime> stamp;  ///< the driver's own REALTIME stamp, where it gives one
  double value = 0.0;               ///< watts; joules for an energy counter
  /// How long the call took that showed it and ended at `seen`, where the poller knows.
  std::optional<Nanoseconds> call;
};

/// A stretch in which a source did not answer: nothing published there was seen.
struct Gap {
  HostTime begin;
  HostTime end;
  std::string cause;  ///< what the source said: "timed_out", "device", ...; or kNotAsked
};

/// Cause of a stretch in which an expensive source was left alone on purpose. The first value after
/// it was published at any time within it.
inline constexpr std::string_view kNotAsked = "not_asked";

/// Readings that are kept as sums: those seen after `begin` up to `end`, at which the samples
/// beside them, or the stretches, were seen (condense.hpp). Of a counter: readings that were
/// dropped.
struct CondensedStretch {
  HostTime begin;
  HostTime end;
  HostTime begin_tick;  ///< middles of the brackets that ended at `begin` ...
  HostTime end_tick;    ///< ... and at `end`
  std::uint64_t readings = 0;
  double held_j = 0.0;         ///< each held until the next was seen, from `begin` to `end`
  double read_j = 0.0;         ///< each for the time since the tick before, from tick to tick
  double squared_steps = 0.0;  ///< of each from the one before, sum, W^2
  double last_w = 0.0;
  double lowest_w = 0.0;
  double highest_w = 0.0;
  /// The longest that nobody looked, rests aside; of a ring: from one reading to the next.
  Nanoseconds longest_silence{0};
  /// Of a ring, by how many readings they are apart, from 0: sum of the products of two readings'
  /// deviations from their mean over ten seconds.
  std::vector<double> products{};
};

/// What one source published, in order of `seen`. `begin` and `end` are the first and last poll:
/// the last value still stood at `end`.
struct Trace {
  SourceId source;
  HostTime begin;
  HostTime end;
  std::vector<Sample> samples;
  std::vector<Gap> gaps;
  std::uint64_t polls = 0;
  std::vector<CondensedStretch> condensed{};  ///< between samples, in order
};

/// A stretch of time to account for.
struct Window {
  HostTime begin;
  HostTime end;
  std::string label;  ///< "load", "command", or a name the user gave
};

/// When something is known to have run: never how much it drew.
struct ActivityInterval {
  HostTime begin;
  HostTime end;
  WorkKind kind;
};

/// State of the device about once a second. Absent where the device does not answer.
struct HealthSample {
  HostTime time;
  std::optional<double> utilization_percent;
  std::optional<int> p_state;
  std::optional<double> temperature_c;
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<std::uint64_t> clocks_event_reasons;  ///< NVML's bit mask
};

/// Something that happened to the device or to the capture and that the reader of the number must
/// know: the device was lost, the counter went backwards, a throttle reason came up.
struct CaptureEvent {
  HostTime time;
  Coded<EventKind> kind;
  std::string message;  ///< the sentence for people
};

/// Everything known about one device over one run; the input of energy estimation. A plain value:
/// what is saved and read back gives bit-identical joules, but for sums in a trace: files keep all
/// readings.
struct Recording {
  DeviceIdentity device;
  std::vector<Trace> traces;
  std::vector<Window> windows;
  std::vector<ActivityInterval> activity;
  std::vector<HealthSample> health;
  std::vector<ClockPair> clock_pairs;
  std::vector<CaptureEvent> events;
};

/// The trace of `source`, or null.
const Trace* find_trace(const Recording& recording, SourceId source);

/// The host time of the first reading of any source; `insufficient_data` when there is none.
Result<HostTime> first_reading(const Recording& recording);

}  // namespace truewatt
