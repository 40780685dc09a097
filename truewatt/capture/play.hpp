#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::capture {

/// Plays one schedule on several loads at once, beginning together, and returns what happened, in
/// the loads' order, when all have ended. On a real clock each load has a thread of its own, and
/// `waiting` is called on this one about ten times a second until then; on a virtual clock, where
/// playing returns at once, everything happens here.
std::vector<Result<load::Execution>> play_together(const std::vector<load::Load*>& loads,
                                                   const load::Schedule& schedule, HostTime begin,
                                                   Clock& clock, const std::stop_token& stop,
                                                   const std::function<void()>& waiting = {});

}  // namespace truewatt::capture
