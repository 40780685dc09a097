#include "truewatt/energy/results/reason.hpp"

#include <algorithm>

#include "truewatt/base/enum_table.hpp"

namespace truewatt::energy {
namespace {

struct ReasonRow {
  std::string_view code;      ///< as in JSON and run files
  std::string_view sentence;  ///< for people
};

/// The compiler names the enumerator that has no row here.
constexpr ReasonRow make_row(Reason reason) {
  switch (reason) {
    case Reason::no_usable_source:
      return {
          "no_usable_source",
          "No source of this device tells energy; `truewatt doctor` says what each one answered."};
    case Reason::no_readings_in_window:
      return {"no_readings_in_window",
              "The source published nothing around the window; measure a longer run."};
    case Reason::no_idle_padding:
      return {"no_idle_padding",
              "Too little idle was recorded beside the window to tell the load from the baseline; "
              "leave about a second of idle before and after."};
    case Reason::window_too_short:
      return {"window_too_short",
              "The window is shorter than the source can tell apart; repeat the work in a loop."};
    case Reason::counter_reset:
      return {"counter_reset",
              "The energy counter went backwards (driver reload?); measure again."};
    case Reason::gap_in_readings:
      return {"gap_in_readings",
              "A source was silent for longer than its update period; measure again on a quieter "
              "machine."};
    case Reason::gpu_lost:
      return {"gpu_lost", "The device stopped answering; look at `dmesg` for an Xid and reset it."};
    case Reason::clock_step:
      return {"clock_step",
              "The log's clock jumped; readings around the jump cannot be placed in time."};
    case Reason::throttle_change:
      return {"throttle_change",
              "A clock limit came or went during the window; compare only runs at equal clocks."};
    case Reason::phase_lock_not_excluded:
      return {"phase_lock_not_excluded",
              "The source looks only part of the time and nothing excludes that the load runs in "
              "step with it; use an energy counter or repeat with shifted phases."};
    case Reason::sources_disagree:
      return {"sources_disagree",
              "Two sources differ by more than their uncertainties; see `truewatt report`."};
    case Reason::model_misfit:
      return {"model_misfit",
              "The readings do not follow the source's model; characterize the device again."};
    case Reason::uncalibrated_gain:
      return {"uncalibrated_gain",
              "The sensor was never checked against a meter: what gain and offset of other boards "
              "scatter by (4 %, 6 W; type B) is in the interval; `truewatt calibrate` removes it."};
    case Reason::above_power_limit:
      return {"above_power_limit",
              "The source showed more than twice the board's power limit (3 kW where that is not "
              "known), which no board draws; its readings are not used."};
    case Reason::computed_not_measured:
      return {"computed_not_measured",
              "The driver computes these readings from the load's activity instead of measuring "
              "power; only an external meter tells this board's joules."};
    case Reason::module_scope:
      return {"module_scope", "The readings cover the whole module, not the GPU alone."};
    case Reason::uncertainty_above_target:
      return {"uncertainty_above_target",
              "The interval is wider than --resolve asks for; run for longer or repeat."};
    case Reason::from_catalogue:
      return {"from_catalogue",
              "Nobody characterized this device: what is published about its source is taken, with "
              "wide intervals; `truewatt characterize` narrows them."};
    case Reason::catalogue_misfit:
      return {"catalogue_misfit",
              "The readings contradict what is published about this source; they were followed. "
              "`truewatt characterize` tells how it really behaves."};
    case Reason::other_driver:
      return {"other_driver",
              "The profile or calibration was made under another driver, which may read the sensor "
              "otherwise; make it again."};
    case Reason::other_device:
      return {"other_device",
              "The profile was made on another device of this name; characterize this one."};
    case Reason::profile_ignored:
      return {"profile_ignored",
              "The profile named is not used: it is of another product, or holds another "
              "protocol's numbers; make one with `truewatt characterize`."};
    case Reason::calibration_ignored:
      return {"calibration_ignored",
              "The calibration named is not used: gain and offset are one board's, and it was made "
              "on another; calibrate this one."};
    case Reason::permission_denied:
      return {"permission_denied",
              "A source refused for lack of permission; what refused, or `truewatt doctor`, says "
              "which to grant."};
    case Reason::no_host_sources:
      return {"no_host_sources",
              "The host shows no power source of its own (RAPL, Grace's hwmon), so that the node's "
              "energy is not known."};
    case Reason::node_incomplete:
      return {"node_incomplete",
              "A part of the node has no energy, so the node has none: a sum without it would be "
              "too small."};
    case Reason::node_ambiguous:
      return {
          "node_ambiguous",
          "Whether a GPU's source or a module contains another source cannot be told here, and a "
          "sum might count twice; `truewatt characterize` finds out what a GPU's sources see."};
    case Reason::uncalibrated_host:
      return {"uncalibrated_host",
              "Nobody held the host's own meters against a reference: gains (RAPL: ± 10 % of a "
              "package, ± 20 % of DRAM; Grace: as of GPU boards; type B) are assumed and in the "
              "interval."};
    case Reason::interrupted:
      return {"interrupted", "The measurement was stopped before its end."};
  }
  return {};
}

constexpr auto kRows = rows_of<Reason, make_row>();

}  // namespace

std::string_view to_string(Reason reason) { return row_of(kRows, reason).code; }

std::string_view explain(Reason reason) { return row_of(kRows, reason).sentence; }

std::optional<Reason> parse_reason(std::string_view code) { return find_code<Reason>(kRows, code); }

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
