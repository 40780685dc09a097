#include "truewatt/energy/results/results.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::no_usable_source:
      return "no_usable_source";
    case Reason::no_readings_in_window:
      return "no_readings_in_window";
    case Reason::no_idle_padding:
      return "no_idle_padding";
    case Reason::window_too_short:
      return "window_too_short";
    case Reason::counter_reset:
      return "counter_reset";
    case Reason::gap_in_readings:
      return "gap_in_readings";
    case Reason::gpu_lost:
      return "gpu_lost";
    case Reason::clock_step:
      return "clock_step";
    case Reason::throttle_change:
      return "throttle_change";
    case Reason::phase_lock_not_excluded:
      return "phase_lock_not_excluded";
    case Reason::sources_disagree:
      return "sources_disagree";
    case Reason::model_misfit:
      return "model_misfit";
    case Reason::uncalibrated_gain:
      return "uncalibrated_gain";
    case Reason::computed_not_measured:
      return "computed_not_measured";
    case Reason::module_scope:
      return "module_scope";
    case Reason::uncertainty_above_target:
      return "uncertainty_above_target";
    case Reason::from_catalogue:
      return "from_catalogue";
    case Reason::catalogue_misfit:
      return "catalogue_misfit";
    case Reason::other_driver:
      return "other_driver";
    case Reason::other_device:
      return "other_device";
    case Reason::profile_ignored:
      return "profile_ignored";
    case Reason::calibration_ignored:
      return "calibration_ignored";
    case Reason::permission_denied:
      return "permission_denied";
    case Reason::no_host_sources:
      return "no_host_sources";
    case Reason::node_incomplete:
      return "node_incomplete";
    case Reason::node_ambiguous:
      return "node_ambiguous";
    case Reason::uncalibrated_host:
      return "uncalibrated_host";
    case Reason::interrupted:
      return "interrupted";
  }
  return "unknown";
}

std::string_view explain(Reason reason) {
  switch (reason) {
    case Reason::no_usable_source:
      return "No source of this device tells energy; `truewatt doctor` says what each one "
             "answered.";
    case Reason::no_readings_in_window:
      return "The source published nothing around the window; measure a longer run.";
    case Reason::no_idle_padding:
      return "Too little idle was recorded beside the window to tell the load from the baseline; "
             "leave about a second of idle before and after.";
    case Reason::window_too_short:
      return "The window is shorter than the source can tell apart; repeat the work in a loop.";
    case Reason::counter_reset:
      return "The energy counter went backwards (driver reload?); measure again.";
    case Reason::gap_in_readings:
      return "A source was silent for longer than its update period; measure again on a quieter "
             "machine.";
    case Reason::gpu_lost:
      return "The device stopped answering; look at `dmesg` for an Xid and reset it.";
    case Reason::clock_step:
      return "The log's clock jumped; readings around the jump cannot be placed in time.";
    case Reason::throttle_change:
      return "A clock limit came or went during the window; compare only runs at equal clocks.";
    case Reason::phase_lock_not_excluded:
      return "The source looks only part of the time and nothing excludes that the load runs in "
             "step with it; use an energy counter or repeat with shifted phases.";
    case Reason::sources_disagree:
      return "Two sources differ by more than their uncertainties; see `truewatt report`.";
    case Reason::model_misfit:
      return "The readings do not follow the source's model; characterize the device again.";
    case Reason::uncalibrated_gain:
      return "The sensor was never checked against a meter: what gain and offset of other boards "
             "scatter by (4 %, 6 W; type B) is in the interval; `truewatt calibrate` removes it.";
    case Reason::computed_not_measured:
      return "The driver computes these readings from the load's activity instead of measuring "
             "power; only an external meter tells this board's joules.";
    case Reason::module_scope:
      return "The readings cover the whole module, not the GPU alone.";
    case Reason::uncertainty_above_target:
      return "The interval is wider than --resolve asks for; run for longer or repeat.";
    case Reason::from_catalogue:
      return "Nobody characterized this device: what is published about its source is taken, with "
             "wide intervals; `truewatt characterize` narrows them.";
    case Reason::catalogue_misfit:
      return "The readings contradict what is published about this source; they were followed. "
             "`truewatt characterize` tells how it really behaves.";
    case Reason::other_driver:
      return "The profile or calibration was made under another driver, which may read the sensor "
             "otherwise; make it again.";
    case Reason::other_device:
      return "The profile was made on another device of this name; characterize this one.";
    case Reason::profile_ignored:
      return "The profile named is not used: it is of another product, or holds another "
             "protocol's numbers; make one with `truewatt characterize`.";
    case Reason::calibration_ignored:
      return "The calibration named is not used: gain and offset are one board's, and it was made "
             "on another; calibrate this one.";
    case Reason::permission_denied:
      return "A source refused for lack of permission; what refused, or `truewatt doctor`, says "
             "which to grant.";
    case Reason::no_host_sources:
      return "The host shows no power source of its own (RAPL, Grace's hwmon), so that the node's "
             "energy is not known.";
    case Reason::node_incomplete:
      return "A part of the node has no energy, so the node has none: a sum without it would be "
             "too "
             "small.";
    case Reason::node_ambiguous:
      return "Whether a GPU's source or a module contains another source cannot be told here, and "
             "a sum "
             "might count twice; `truewatt characterize` finds out what a GPU's sources see.";
    case Reason::uncalibrated_host:
      return "Nobody held the host's own meters against a reference: gains (RAPL: ± 10 % of a "
             "package, ± 20 % of DRAM; Grace: as of GPU boards; type B) are assumed and in the "
             "interval.";
    case Reason::interrupted:
      return "The measurement was stopped before its end.";
  }
  return "";
}

bool puts_in_doubt(Reason reason) {
  return reason == Reason::phase_lock_not_excluded || reason == Reason::sources_disagree ||
         reason == Reason::model_misfit;
}

void add_reason(EnergyEstimate& estimate, Reason reason) {
  auto& reasons = estimate.reasons;
  if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
}

double EnergyInterval::without_gain() const {
  const double squares =
      standard_uncertainty * standard_uncertainty - gain_uncertainty * gain_uncertainty;
  return std::sqrt(std::max(0.0, squares));
}

std::optional<double> half_width_without_gain(const EnergyEstimate& estimate) {
  if (!estimate.energy || !(estimate.energy->interval.value > 0)) return std::nullopt;
  return kCoverageFactor95 * estimate.energy->without_gain() / estimate.energy->interval.value;
}

std::optional<double> deviation_of(const ReaderEnergy& reader, const EnergyEstimate& estimate,
                                   Joules reference) {
  constexpr double kSameLength = 1e-9;
  if (!reader.energy) return std::nullopt;
  const Seconds more = reader.over - estimate.window;
  if (std::abs(more.count()) > kSameLength * estimate.window.count()) {
    if (!estimate.baseline) return std::nullopt;
    reference += *estimate.baseline * more;
  }
  if (!(reference.value() > 0)) return std::nullopt;
  return reader.energy->value() / reference.value() - 1.0;
}

bool rests_on_catalogue(const EnergyEstimate& estimate) {
  const auto& reasons = estimate.reasons;
  return std::find(reasons.begin(), reasons.end(), Reason::from_catalogue) != reasons.end();
}

}  // namespace truewatt::energy
