#include "truewatt/energy/results/reason.hpp"

#include <algorithm>

#include "truewatt/base/enum_table.hpp"

namespace truewatt::energy {
namespace {

struct ReasonRow {
  std::string_view code;      ///< as in JSON and run files
  std::string_view brief;     ///< for people: a few words ...
  std::string_view sentence;  ///< ... and a sentence
};

/// The compiler names the enumerator that has no row here.
constexpr ReasonRow make_row(Reason reason) {
  switch (reason) {
    case Reason::no_usable_source:
      return {"no_usable_source",
              "no source gives energy (of a GPU of this machine truewatt doctor says why)",
              "No source of this device gives an energy; `truewatt doctor` shows what each one "
              "answered."};
    case Reason::no_readings_in_window:
      return {"no_readings_in_window", "no readings in this window",
              "The source published nothing around the window; measure a longer run."};
    case Reason::no_idle_padding:
      return {"no_idle_padding", "too little idle beside the window",
              "Too little idle was recorded beside the window: energy above idle is not known. "
              "Leave a second of idle before and after the work."};
    case Reason::window_too_short:
      return {"window_too_short", "shorter than the readings resolve",
              "The window is shorter than the readings resolve; repeat the work in a loop."};
    case Reason::counter_reset:
      return {"counter_reset", "the energy counter went backwards",
              "The energy counter went backwards (driver reload?); measure again."};
    case Reason::gap_in_readings:
      return {
          "gap_in_readings", "readings are missing",
          "For some of the time no source was read. What the board may have drawn then is in the "
          "interval; if that is most of the window there is no number. Record without holes, "
          "on a machine that is less busy."};
    case Reason::gpu_lost:
      return {"gpu_lost", "the GPU stopped answering",
              "The GPU stopped answering; look for \"Xid\" in `dmesg`, then reset the GPU."};
    case Reason::clock_step:
      return {"clock_step", "the clock of the log jumped",
              "The log's clock jumped; readings around the jump cannot be placed in time."};
    case Reason::clocks_limited:
      return {"clocks_limited", "clocks were limited for a part of it",
              "A clock or power limit came or went during the window: the energy is right for this "
              "run; a run at other clocks uses a different energy."};
    case Reason::phase_lock_not_excluded:
      return {
          "phase_lock_not_excluded", "± holds only if work and sensor are not in step",
          "The work may repeat at the rate of the sensor's updates. Each reading then shows the "
          "same "
          "part of the work, and the energy may be off by more than the interval. Characterize the "
          "board once (`truewatt characterize`): that excludes it where its sensors look at the "
          "power all the time."};
    case Reason::sources_disagree:
      return {"sources_disagree", "two sources contradict each other",
              "Two sources differ by more than their uncertainties, and nothing tells which is "
              "right. `truewatt characterize` finds what each of them measures."};
    case Reason::model_misfit:
      return {"model_misfit", "the readings do not follow their model",
              "The readings do not follow the source's model; characterize the device again."};
    case Reason::uncalibrated_gain:
      return {
          "uncalibrated_gain", "never calibrated",
          "The sensor was never compared with a wattmeter: the scatter of other boards' gains and "
          "offsets (4 %, 6 W; type B) is in the interval. It cancels where one board runs both "
          "A and B; an external meter (`truewatt calibrate`) removes it."};
    case Reason::above_power_limit:
      return {"above_power_limit", "a source that shows more than the board can draw was left out",
              "The source showed more than twice the board's power limit (3 kW where that is not "
              "known), or counted faster than that limit allows; those readings are not used."};
    case Reason::computed_not_measured:
      return {"computed_not_measured", "the driver computes these readings, it does not measure",
              "The driver computes these readings from the load's activity instead of measuring "
              "power; only an external meter shows this board's joules."};
    case Reason::module_scope:
      return {"module_scope", "of the whole module, not the GPU alone",
              "The readings cover the whole module, not the GPU alone."};
    case Reason::uncertainty_above_target:
      return {"uncertainty_above_target", "wider than asked for",
              "The interval is wider than the limit (5 %, or --resolve); measure a longer run or "
              "repeat "
              "the work."};
    case Reason::from_catalogue:
      return {
          "from_catalogue", "by what is published of such sensors",
          "This device is not characterized: published behaviour of its source is used, with wide "
          "intervals. `truewatt characterize`, once, measures it."};
    case Reason::catalogue_misfit:
      return {
          "catalogue_misfit", "the readings contradict what is published of this sensor",
          "The readings contradict what is published about this source; the readings were used. "
          "`truewatt characterize` measures how it behaves."};
    case Reason::other_driver:
      return {"other_driver", "profile or calibration are of another driver",
              "The profile or calibration was made under another driver, which may read the sensor "
              "otherwise; make it again."};
    case Reason::other_device:
      return {"other_device", "the profile is of another device",
              "The profile was made on another device of this name; characterize this one."};
    case Reason::profile_ignored:
      return {"profile_ignored", "the profile named is of another product and not used",
              "The profile named is not used: it is of another product, or holds another "
              "protocol's numbers; make one with `truewatt characterize`."};
    case Reason::calibration_ignored:
      return {"calibration_ignored", "the calibration named is of another board and not used",
              "The calibration named is not used: gain and offset are one board's, and it was made "
              "on another; calibrate this one."};
    case Reason::permission_denied:
      return {
          "permission_denied", "a source refused permission",
          "A source could not be read: no permission. `truewatt doctor` shows which permission is "
          "needed."};
    case Reason::no_host_sources:
      return {"no_host_sources", "the host has no power source",
              "The host shows no power source of its own (RAPL, Grace's hwmon), so that the node's "
              "energy is not known."};
    case Reason::node_incomplete:
      return {"node_incomplete", "a part of the node has no energy",
              "A part of the node has no energy, so the node has none: a sum without it would be "
              "too small."};
    case Reason::node_ambiguous:
      return {"node_ambiguous", "a part of the node may be counted twice",
              "Whether a GPU's source or a module contains another source is not known here, and a "
              "sum might count twice; `truewatt characterize` finds out what a GPU's sources see."};
    case Reason::uncalibrated_host:
      return {
          "uncalibrated_host", "the host meters were never calibrated",
          "The host's own meters were never compared with a reference: gains (RAPL: ± 10 % of a "
          "package, ± 20 % of DRAM; Grace: as of GPU boards; type B) are assumed and in the "
          "interval."};
    case Reason::interrupted:
      return {"interrupted", "stopped before its end",
              "The measurement was stopped before its end."};
    case Reason::baseline_ambiguous:
      return {
          "baseline_ambiguous", "several idle levels: net energy depends on --baseline",
          "Idle power had several levels (asleep, with a context, after work). A different level "
          "would change the net energy by more than its interval; choose one with --baseline "
          "before, lowest or WATTS."};
    case Reason::baseline_above_power:
      return {"baseline_above_power",
              "--baseline is more than the mean power: net energy is negative",
              "The idle power given with --baseline is more than the mean power of the window, so "
              "the energy above it is negative. Give the board's idle in watts, or before or "
              "lowest."};
    case Reason::frozen_readings:
      return {"frozen_readings", "a source that shows one value through idle and work was left out",
              "The source showed one value while utilization, clocks or another source went from "
              "idle to work: it is stuck, and its readings are not used."};
  }
  return {};
}

constexpr auto kRows = rows_of<Reason, make_row>();

}  // namespace

std::string_view to_string(Reason reason) { return row_of(kRows, reason).code; }

std::string_view explain(Reason reason) { return row_of(kRows, reason).sentence; }

std::string_view briefly(Reason reason) { return row_of(kRows, reason).brief; }

std::optional<Reason> parse_reason(std::string_view code) {
  // As it was called in files before.
  if (code == "throttle_change") return Reason::clocks_limited;
  return find_code<Reason>(kRows, code);
}

bool puts_in_doubt(Reason reason) {
  return reason == Reason::phase_lock_not_excluded || reason == Reason::sources_disagree ||
         reason == Reason::model_misfit;
}

bool has_reason(const std::vector<Reason>& reasons, Reason reason) {
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

void add_reason(std::vector<Reason>& reasons, Reason reason) {
  if (!has_reason(reasons, reason)) reasons.push_back(reason);
}

}  // namespace truewatt::energy
