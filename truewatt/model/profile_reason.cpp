#include "truewatt/model/profile_reason.hpp"

#include "truewatt/base/enum_table.hpp"

namespace truewatt {
namespace {

struct ProfileReasonRow {
  std::string_view code;
  std::string_view sentence;  ///< "": reports have words of their own for it, or none
};

/// The compiler names the enumerator that has no row here.
constexpr ProfileReasonRow profile_reason_row(ProfileReason reason) {
  switch (reason) {
    case ProfileReason::no_readings:
      return {"no_readings", "The source showed nothing."};
    case ProfileReason::permission_denied:
      return {"permission_denied",
              "The driver does not let this user read this source; ask the system administrator."};
    case ProfileReason::update_period_not_found:
      return {"update_period_not_found",
              "Its values did not change often enough; a longer --budget may help."};
    case ProfileReason::too_few_readings:
      return {"too_few_readings", "Too few readings of the load; a longer --budget helps."};
    case ProfileReason::counter_reset:
      return {"counter_reset", "The energy counter went backwards: something else set it to zero."};
    case ProfileReason::client_cache:
      return {
          "client_cache",
          "Readings come from a cache in the driver's client library, which polling refreshes: the "
          "update period is that of the cache."};
    case ProfileReason::held_readings:
      return {"held_readings",
              "The cache is filled from the driver's sample buffer, so that a reading can be one "
              "update "
              "older; the interval of the delay includes this."};
    case ProfileReason::averaging_window_not_resolved:
      return {
          "averaging_window_not_resolved",
          "The readings give only an upper limit of the window, or do not fix it to 1 ms or 3 %; a "
          "longer --budget may help."};
    case ProfileReason::averaging_window_too_long:
      return {"averaging_window_too_long",
              "It averages over more than 1.6 s, longer than the work it was shown: its readings "
              "are not modelled. Energies are estimated as without a profile."};
    case ProfileReason::time_constant_not_resolved:
      return {"time_constant_not_resolved",
              "The lag is not known to 5 %; a longer --budget may help."};
    case ProfileReason::time_constant_too_long:
      return {"time_constant_too_long",
              "Its readings follow power with a time constant of more than 2 s, or of perhaps more "
              "than 1 s that is not known to 5 %; the work it was shown is hardly longer, so they "
              "are not modelled. A longer --budget may help with the latter. Energies are "
              "estimated as without a profile."};
    case ProfileReason::delay_not_resolved:
      return {
          "delay_not_resolved",
          "The best fit would show power before it is drawn, or more than 0.4 s after it: how the "
          "lag divides into delay, window and time constant is not known, though the total lag "
          "is."};
    case ProfileReason::lag_attribution_ambiguous:
      return {"lag_attribution_ambiguous",
              "A slow sensor and a slow board explain the readings equally well; energies of "
              "windows padded to idle are not affected."};
    case ProfileReason::computed_not_measured:
      return {"computed_not_measured",
              "Its readings are computed by the driver from the load's activity: they take few "
              "levels, repeat themselves exactly and follow the work at once. What the board "
              "really draws does not enter them, so they must not be trusted for joules; nothing "
              "but an external meter shows by how much they are off."};
    case ProfileReason::observes_module:
      return {"observes_module",
              "It is offered as the GPU's and reacts to CPU work: it shows the whole module and is "
              "not taken for the GPU's power."};
    case ProfileReason::alias:
      return {"alias", "Another name of a source that is here too; both show the same readings."};
    case ProfileReason::no_cpu_load:
      return {"no_cpu_load",
              "Only CPU work shows how a CPU's source averages: characterize with --scopes and a "
              "--budget of 30 s or more."};
    case ProfileReason::mig_instance:
      return {"mig_instance",
              "The load worked on one MIG instance, the source shows the whole GPU: times are the "
              "sensor's, levels are shares of the instance, and work of other instances is in the "
              "readings without being seen as such."};
    case ProfileReason::gpu_busy:
      return {"gpu_busy", "Something else ran on the GPU: characterize it again when it is idle."};
    case ProfileReason::throttled:
      return {"throttled",
              "Clocks were limited while the load ran: its power was not that of the schedule."};
    case ProfileReason::thermal_drift:
      return {"thermal_drift",
              "The board draws more as work warms it up: the fit separates that from the sensor's "
              "lag."};
    case ProfileReason::not_steady:
      return {"not_steady",
              "The board's power still changed by more than 1 % of the load's step. The fit of "
              "window, lag and delay allows for that (thermal_drift), what is said of levels and "
              "counters does not: keep the GPU busy for some minutes and characterize it again, or "
              "give it a longer --budget, a quarter of which may be warm-up."};
    case ProfileReason::interrupted:
      return {"interrupted", "The characterization was stopped before its end."};
    case ProfileReason::from_catalogue:
      return {"from_catalogue", ""};
    case ProfileReason::catalogue_contradicted:
      return {"catalogue_contradicted", ""};
    case ProfileReason::driver_age_unknown:
      return {"driver_age_unknown", ""};
    case ProfileReason::module_scope:
      return {"module_scope", ""};
    case ProfileReason::uncalibrated_gain:
      return {"uncalibrated_gain", ""};
    case ProfileReason::duty_unknown:
      return {"duty_unknown", ""};
    case ProfileReason::interval_is_standard_error:
      return {"interval_is_standard_error", ""};
    case ProfileReason::not_in_the_protocol:
      return {"not_in_the_protocol", ""};
    case ProfileReason::rise_time_too_long:
      return {"rise_time_too_long", ""};
    case ProfileReason::no_capacitor:
      return {"no_capacitor", ""};
    case ProfileReason::rises_in_a_line:
      return {"rises_in_a_line", ""};
    case ProfileReason::board_rises_slowly:
      return {"board_rises_slowly", ""};
    case ProfileReason::no_step_seen:
      return {"no_step_seen", ""};
    case ProfileReason::no_active_idle:
      return {"no_active_idle", ""};
    case ProfileReason::idle_not_reached:
      return {"idle_not_reached", ""};
    case ProfileReason::idle_not_steady:
      return {"idle_not_steady", ""};
  }
  return {};
}
constexpr auto kProfileReasons = rows_of<ProfileReason, profile_reason_row>();

struct SteadinessReasonRow {
  std::string_view code;
};
constexpr SteadinessReasonRow steadiness_reason_row(SteadinessReason reason) {
  switch (reason) {
    case SteadinessReason::not_steady:
      return {"not_steady"};
    case SteadinessReason::drift_not_measured:
      return {"drift_not_measured"};
    case SteadinessReason::temperature_unknown:
      return {"temperature_unknown"};
  }
  return {};
}
constexpr auto kSteadinessReasons = rows_of<SteadinessReason, steadiness_reason_row>();

}  // namespace

std::string_view to_string(ProfileReason reason) { return row_of(kProfileReasons, reason).code; }
std::optional<ProfileReason> parse_profile_reason(std::string_view code) {
  return find_code<ProfileReason>(kProfileReasons, code);
}
std::string_view explain(const Coded<ProfileReason>& reason) {
  return reason.known() ? row_of(kProfileReasons, *reason.known()).sentence : std::string_view();
}

std::string_view to_string(SteadinessReason reason) {
  return row_of(kSteadinessReasons, reason).code;
}
std::optional<SteadinessReason> parse_steadiness_reason(std::string_view code) {
  return find_code<SteadinessReason>(kSteadinessReasons, code);
}

}  // namespace truewatt
