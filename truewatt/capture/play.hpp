#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::capture {

/// A load and what it is to play.
struct Part {
  load::Load* load = nullptr;
  const load::Schedule* schedule = nullptr;
};

/// Plays each part's schedule on its load, all beginning together, and returns what happened, in
/// the parts' order, when all have ended. On a real clock each load has a thread of its own, and
/// `waiting` is called on this one about ten times a second until then; on a virtual clock, where
/// playing returns at once, everything happens here.
std::vector<Result<load::Execution>> play_together(const std::vector<Part>& parts, HostTime begin,
                                                   Clock& clock, const std::stop_token& stop,
                                                   const std::function<void()>& waiting = {});

/// The same schedule on every load.
std::vector<Result<load::Execution>> play_together(const std::vector<load::Load*>& loads,
                                                   const load::Schedule& schedule, HostTime begin,
                                                   Clock& clock, const std::stop_token& stop,
                                                   const std::function<void()>& waiting = {});

}  // namespace truewatt::capture
