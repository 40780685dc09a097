#pragma once

#include <optional>
#include <string_view>

#include "truewatt/base/coded.hpp"

namespace truewatt {

/// What limits what a profile says of a source. A new reason is an enumerator here and its row in
/// profile_reason.cpp, without which nothing compiles. The codes are stable: profiles have them.
enum class ProfileReason {
  no_readings,              ///< the source showed nothing
  permission_denied,        ///< the driver lets only others read it
  update_period_not_found,  ///< its values did not change often enough
  too_few_readings,         ///< of the load
  counter_reset,            ///< the energy counter went backwards
  client_cache,             ///< a cache of the driver's client is before it, whose period is seen
  held_readings,            ///< what fills that cache is itself up to one update old
  averaging_window_not_resolved,  ///< bounded from above only, or not known well enough
  averaging_window_too_long,      ///< longer than any that is searched for; nothing is modelled
  time_constant_not_resolved,     ///< not known well enough
  time_constant_too_long,         ///< longer than the steps it was shown; nothing is modelled
  delay_not_resolved,  ///< how the lag divides into delay, window and time constant is not known
  lag_attribution_ambiguous,  ///< a slow sensor and a slow board explain the readings equally well
  computed_not_measured,      ///< the driver computes the readings from the load's activity
  observes_module,            ///< offered as the GPU's, and reacts to CPU work
  alias,                      ///< another name of a source that is there too
  no_cpu_load,                ///< only CPU work shows how a CPU's source looks, and none was played
  mig_instance,   ///< the load worked on one MIG instance, the source shows the whole GPU
  gpu_busy,       ///< something else ran on the GPU
  throttled,      ///< clocks were limited while the load ran
  thermal_drift,  ///< the fit allows for a board that draws more as it warms up
  not_steady,     ///< the board's power still changed
  interrupted,    ///< the characterization was stopped before its end

  // Of what a catalogue has of a source.
  from_catalogue,          ///< published behaviour, which was looked up
  catalogue_contradicted,  ///< something published contradicts that
  driver_age_unknown,      ///< behaviour changed with the driver, whose age is not known
  module_scope,            ///< it sees more than the GPU
  uncalibrated_gain,       ///< gain and offset are those that other boards' scatter
  duty_unknown,            ///< the share of the time that it looks at is not known

  // Of a published protocol's procedures.
  interval_is_standard_error,  ///< a protocol without intervals: scatter, and no bias
  not_in_the_protocol,         ///< what is absent the protocol does not look for
  rise_time_too_long,          ///< above 700 ms the protocol looks for no window
  no_capacitor,                ///< it shows the new power within its next updates
  rises_in_a_line,             ///< as an average over a window does
  board_rises_slowly,          ///< rises slowly and falls at once
  no_step_seen,      ///< no readings that rise with the load, or too few of the idle before it
  no_active_idle,    ///< after the load the power is that of idle
  idle_not_reached,  ///< after the load the power does not become what it was before
  idle_not_steady,   ///< the idle before the load was not steady
  last_ = idle_not_steady,
};
std::string_view to_string(ProfileReason reason);
std::optional<ProfileReason> parse_profile_reason(std::string_view code);

/// What it means and what to do, a sentence; "" for those of catalogues and protocols and for those
/// that only a newer program knows.
std::string_view explain(const Coded<ProfileReason>& reason);

/// What limits what is known of a board's steadiness.
enum class SteadinessReason {
  not_steady,           ///< its power still changed by more than 1 % of the load's step
  drift_not_measured,   ///< no source shows how it changed
  temperature_unknown,  ///< the driver shows none
  last_ = temperature_unknown,
};
std::string_view to_string(SteadinessReason reason);
std::optional<SteadinessReason> parse_steadiness_reason(std::string_view code);

}  // namespace truewatt
