#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "truewatt/identification/artefacts/power_drift.hpp"
#include "truewatt/identification/profile/source_profile.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// Idle or full work may change by this share of the step while readings are taken: time constants
/// begin to miss their intervals when they change by more (docs/method.md, section 9).
inline constexpr double kSteadyShare = 0.01;

/// The source that knows best how the board's power changes, and what it says.
struct KnownDrift {
  std::size_t source = 0;  ///< index
  PowerDrift drift;
};

/// Of the fitted sources' readings the drift that is known best beside the step; nothing when none
/// tells. Pure.
std::optional<KnownDrift> best_known_drift(const std::vector<CharacterizedSource>& sources,
                                           const std::vector<Work>& work);

/// True when idle or full work, going on like that for `duration`, changes by more than
/// kSteadyShare of the step, `coverage` standard uncertainties beyond doubt.
bool is_unsteady(const PowerDrift& drift, Seconds duration, double coverage);

/// When the recording's board was warmed up, seconds after `origin`.
std::optional<Work> warm_up_of(const Recording& recording, HostTime origin);

/// What a characterization says of its board's steadiness: the drift during the readings that were
/// fitted, the warm-up before them, and the temperatures that the device's health tells. Pure.
Steadiness steadiness_of(const std::vector<CharacterizedSource>& sources,
                         const std::vector<Work>& work, const Recording& recording);

}  // namespace truewatt::identification
