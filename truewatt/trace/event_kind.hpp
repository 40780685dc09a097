#pragma once

#include <optional>
#include <string_view>

namespace truewatt {

/// What happened to a device or to its capture. A new kind is an enumerator here and its row in
/// event_kind.cpp, without which nothing compiles. The codes are stable: run files have them.
enum class EventKind {
  gpu_lost,         ///< the device stopped answering
  clock_step,       ///< a log's own clock ran backwards or jumped
  realtime_step,    ///< CLOCK_REALTIME was set while sampling, which touches driver's stamps only
  queue_overflow,   ///< the disk was too slow, and readings were lost
  samples_lost,     ///< readings were lost elsewhere
  driver_hangs,     ///< a call of the driver did not return; message: which
  driver_slow,      ///< a call of the driver took longer than a second; message: which
  answers_refused,  ///< a source that answered refused meanwhile; message: why, and how often
  mig_instance,     ///< the load works on a part of a GPU in MIG mode, which the message names
  source_refused,   ///< a source may not be read; message: its name, ": ", and why
  warm_up_began,    ///< work that warms the board up
  warm_up_ended,    ///< ... ended; readings before are not fitted
  last_ = warm_up_ended,
};
std::string_view to_string(EventKind kind);
std::optional<EventKind> parse_event_kind(std::string_view code);

}  // namespace truewatt
