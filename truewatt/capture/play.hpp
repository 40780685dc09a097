#pragma once

#include <stop_token>
#include <vector>

#include "truewatt/load/load.hpp"

namespace truewatt::capture {

/// Plays one schedule on several loads at once, beginning together; each on a thread of its own
/// unless `inline_only` (virtual clocks, where playing returns at once). Returns what happened, in
/// the loads' order, when all have ended.
std::vector<Result<load::Execution>> play_together(const std::vector<load::Load*>& loads,
                                                   const load::Schedule& schedule, HostTime begin,
                                                   const std::stop_token& stop, bool inline_only);

}  // namespace truewatt::capture
