#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/energy/results/reader.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::energy {

/// Why a number is missing, not valid or not resolved. The printed codes are stable.
enum class Reason {
  no_usable_source,          ///< no source from which energy can be told
  no_readings_in_window,     ///< the source published nothing near the window
  no_idle_padding,           ///< too little idle was recorded around the window
  window_too_short,          ///< shorter than what the source can tell apart
  counter_reset,             ///< the energy counter went backwards
  gap_in_readings,           ///< the source was silent for longer than its update period allows
  gpu_lost,                  ///< the device stopped answering for good
  clock_step,                ///< the host's clock ran backwards or jumped
  throttle_change,           ///< a clock-limiting reason came or went inside the window
  phase_lock_not_excluded,   ///< a part-time source may be locked to the load
  sources_disagree,          ///< two sources differ by more than their uncertainties
  model_misfit,              ///< the readings do not follow the model
  uncalibrated_gain,         ///< what other boards' gains and offsets scatter by is in it
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
};
std::string_view to_string(Reason reason);
/// A sentence for people: what it means and what to do.
std::string_view explain(Reason reason);

/// A quantity with its standard uncertainty and its 95 % interval, in joules.
struct EnergyInterval {
  Interval interval;
  double standard_uncertainty = 0.0;
  double gain_uncertainty = 0.0;  ///< the part of it that gain and offset of the sensor cause

  /// Standard uncertainty but for that part.
  double without_gain() const;
};

/// By how much one thing takes more energy than another.
struct EnergyRatio {
  Interval ratio;  ///< b over a, with its 95 % interval
  double standard_uncertainty = 0.0;
  std::vector<uncertainty::Term> budget;  ///< of `ratio`, as shares of it
  bool gain_cancels = false;              ///< every board's gain is on both sides
  std::size_t pairs = 0;                  ///< of runs that it rests on
};

/// Whose knowledge of the sources an estimate could rest on.
struct ProfileUse {
  bool from_catalogue = false;  ///< published behaviour; else somebody characterized the device
  bool from_recording = false;  ///< ... or the very recording told it
  bool covers_source = false;   ///< the source that decided is in it
  /// Published behaviour: whether the recording follows it. Absent: nothing to hold it against.
  std::optional<bool> agrees;
  std::string_view provenance() const {
    if (from_recording) return "recording";
    return from_catalogue ? "catalogue" : "characterized";
  }
};

/// Energy of one window on one device, from its recording. What could not be told is absent and
/// has its code in `reasons`.
struct EnergyEstimate {
  DeviceIdentity device;
  Seconds window{0};
  std::optional<EnergyInterval> energy;      ///< gross, joules
  std::optional<EnergyInterval> net_energy;  ///< above baseline, joules
  std::optional<Watts> mean_power;
  std::optional<Watts> baseline;  ///< idle power beside the window
  /// Idle power behind it, which is that between the stretches of its work; not kept in run files.
  std::optional<Watts> idle_after;
  std::optional<SourceId> source;  ///< the source that decided
  std::vector<SourceId> sources;   ///< all whose readings it rests on, where several may
  std::string method;              ///< "kriging", "counter_difference", "padded_sum", "" when none
  std::optional<double> observed_fraction;  ///< share of the window that the source looked at
  std::vector<uncertainty::Term> budget;    ///< GUM budget of the gross energy, J
  std::map<std::string, double> naive_j;    ///< by source name: the last reading held
  std::vector<ReaderEnergy> readers;        ///< those that were asked for
  std::optional<Joules> truth;              ///< simulated devices: gross joules in the window
  std::optional<ProfileUse> profile;        ///< absent: nothing is known of the device's sources
  bool valid = false;
  bool resolved = false;
  std::vector<Reason> reasons;
  std::optional<Seconds> needs;  ///< run time that would resolve it
};

/// Whether it says that an energy may be off by more than its interval: loads in step with their
/// source, sources that disagree, readings that do not follow their model.
bool puts_in_doubt(Reason reason);

/// Adds a reason that is not there yet.
void add_reason(EnergyEstimate& estimate, Reason reason);

/// Half-width of the energy's 95 % interval without the gain's part, as a share of the energy.
/// Absent without an energy above 0.
std::optional<double> half_width_without_gain(const EnergyEstimate& estimate);

/// How far a reader is off `reference`, joules in the window, as a share of it. What runs longer or
/// shorter than the window is held against the reference with idle at the estimate's baseline more
/// or less. Absent where the reader has no energy, and where the baseline would be needed and is
/// not known.
std::optional<double> deviation_of(const ReaderEnergy& reader, const EnergyEstimate& estimate,
                                   Joules reference);

/// What the deciding source does was looked up, not found out on this device.
bool rests_on_catalogue(const EnergyEstimate& estimate);

}  // namespace truewatt::energy
