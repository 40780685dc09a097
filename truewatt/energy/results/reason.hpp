#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace truewatt::energy {

/// Why a number is missing, not valid or not resolved. A new reason is an enumerator here and its
/// row in reason.cpp, without which nothing compiles. The codes are stable: JSON and run files have
/// them.
enum class Reason {
  no_usable_source,          ///< no source from which energy can be told
  no_readings_in_window,     ///< the source published nothing near the window
  no_idle_padding,           ///< too little idle was recorded around the window
  window_too_short,          ///< shorter than what the source can tell apart
  counter_reset,             ///< the energy counter went backwards
  gap_in_readings,           ///< the source was silent for longer than its update period allows
  gpu_lost,                  ///< the device stopped answering for good
  clock_step,                ///< the host's clock ran backwards or jumped
  clocks_limited,            ///< a clock-limiting reason came or went inside the window
  phase_lock_not_excluded,   ///< a part-time source may be locked to the load
  sources_disagree,          ///< two sources differ by more than their uncertainties
  model_misfit,              ///< the readings do not follow the model
  uncalibrated_gain,         ///< what other boards' gains and offsets scatter by is in it
  above_power_limit,         ///< it showed more than the board can draw
  computed_not_measured,     ///< the driver computes the readings from the load's activity
  module_scope,              ///< the readings cover more than the GPU
  uncertainty_above_target,  ///< the interval is wider than --resolve
  from_catalogue,            ///< nobody characterized the source: published behaviour is its prior
  catalogue_misfit,          ///< published behaviour that the recording contradicts; not used
  other_driver,              ///< profile or calibration were made under another driver
  other_device,              ///< the profile was made on another device
  profile_ignored,           ///< the profile that was named is not for this; it is not used
  calibration_ignored,       ///< likewise the calibration
  permission_denied,         ///< a source refused for lack of permission
  no_host_sources,           ///< the host shows no power source of its own
  node_incomplete,           ///< a part of the node has no energy
  node_ambiguous,            ///< whether one source contains another cannot be told
  uncalibrated_host,         ///< an assumed gain of the host's own meters is in it
  interrupted,               ///< the measurement was stopped before its end
  baseline_ambiguous,        ///< another idle level of the recording gives another net energy
  baseline_above_power,      ///< the idle given is above the mean power: net energy is negative
  frozen_readings,           ///< it showed one value through idle and work
  last_ = frozen_readings,
};
/// The reason's code.
std::string_view to_string(Reason reason);
/// A sentence for people: what it means and what to do.
std::string_view explain(Reason reason);
/// The same in a few words, for a line that holds several.
std::string_view briefly(Reason reason);
/// The reason of this code; absent where none has it.
std::optional<Reason> parse_reason(std::string_view code);

/// Whether it says that an energy may be off by more than its interval: loads in step with their
/// source, sources that disagree, readings that do not follow their model.
bool puts_in_doubt(Reason reason);

/// Whether the reason is among them.
bool has_reason(const std::vector<Reason>& reasons, Reason reason);
/// Adds a reason that is not there yet.
void add_reason(std::vector<Reason>& reasons, Reason reason);

}  // namespace truewatt::energy
