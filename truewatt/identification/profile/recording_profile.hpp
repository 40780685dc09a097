#pragma once

#include <optional>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// When a load of one level ran, in seconds after `origin`: the recording's activity or, without
/// one, its windows, which must be those of loads then. Empty where there are several levels.
std::vector<Work> work_in(const Recording& recording, HostTime origin);

/// `time`, or when the first such load began, where that is earlier: work and power count from it.
HostTime with_work(HostTime time, const Recording& recording);

/// Seconds after `origin` from which on a source's readings show nothing but `work`
/// (earlier_load.hpp); with many stretches of work, from kSettled after the first began. Nothing
/// where that is never.
std::optional<double> shows_only(const std::vector<Work>& work,
                                 const std::vector<ticks::Tick>& readings,
                                 const Recording& recording, HostTime origin);

/// True when enough of the readings stand beside edges of the work to tell the model.
bool tells_edges(const ObservationFit& fit, const std::vector<ticks::Tick>& readings,
                 const std::vector<Work>& work);

/// What the recording itself tells of its sources: the observation model fitted to when its loads
/// ran, never to a meter. Sources whose readings tell no model are left out; nothing without any.
/// For runs to come: an estimate from the very readings does not use it (docs/method.md). Pure.
std::optional<Profile> profile_of_recording(const Recording& recording);

}  // namespace truewatt::identification
