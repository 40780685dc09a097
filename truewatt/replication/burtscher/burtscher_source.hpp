#pragma once

#include <string_view>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/replication/burtscher/figures.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::study {

/// When the one load of paper 001's protocol worked, seconds after `origin`.
struct BurtscherLoad {
  HostTime origin;
  identification::Work work;
};

/// One source by the procedures of paper 001 (docs/method.md, section 9).
struct BurtscherSource {
  SourceProfile profile;
  PowerProfileFigures figures;
};

/// Codes in `reasons` of a profile by paper 001, beside those of any published protocol.
inline constexpr std::string_view kNoCapacitor = "no_capacitor";
inline constexpr std::string_view kRisesInALine = "rises_in_a_line";
inline constexpr std::string_view kBoardRisesSlowly = "board_rises_slowly";
inline constexpr std::string_view kNoStepSeen = "no_step_seen";
inline constexpr std::string_view kNoActiveIdle = "no_active_idle";
inline constexpr std::string_view kIdleNotReached = "idle_not_reached";
inline constexpr std::string_view kIdleNotSteady = "idle_not_steady";

/// What the load tells of a source. Pure.
BurtscherSource burtscher_source(const Trace& trace, const BurtscherLoad& load);

}  // namespace truewatt::study
