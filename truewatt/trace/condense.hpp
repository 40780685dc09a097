#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt {

/// So far apart are the readings of a ring whose products are kept, at most.
inline constexpr std::size_t kFarthestProducts = 60;

/// Holds a long trace in little memory: of a power source the samples seen within (from, to), but
/// for the first and the last of them, those on either side of a hole or of a value that stood, and
/// what no GPU draws, become sums over ten seconds and more, 256 at most between two of these; of
/// an energy counter 256 samples are left, ten seconds apart or more, and those beside a reset or
/// leap. What happens at `from` and `to` can be told as before, and what was drawn in between; not
/// what happened there. Rests in between are forgotten, failures are not. Linear in samples. Pure.
void condense(Trace& trace, HostTime from, HostTime to);

/// Calls `forget(from, to)` for each stretch from `oldest` to `newest` of which nothing lies within
/// 15 s of a span: what happens at an edge is told from what is no further away. Spans in order of
/// their begins.
void far_from(std::span<const std::pair<HostTime, HostTime>> spans, HostTime oldest,
              HostTime newest, const std::function<void(HostTime, HostTime)>& forget);

/// Condenses what is far from the edges of windows of a ring's traces that hold more than `most`
/// samples: of other sources a recording may be anybody's log.
/// Whether there were any. Pure.
bool condense_far_from(std::span<const Window> windows, Recording& recording, std::size_t most);

/// How many samples a trace had before it was condensed. Pure.
std::size_t samples_of(const Trace& trace);

/// Of what a device said of itself within (from, to) leaves a thousand rows, evenly over time, and
/// those with which the limits of its clocks change. Pure.
void thin_out(std::vector<HealthSample>& health, HostTime from, HostTime to);

/// The stretches of a power source that are kept as sums behind the sample that was seen at `seen`,
/// in order; empty where the next sample follows.
std::span<const CondensedStretch> condensed_after(const Trace& trace, HostTime seen);

/// The stretches from `from` to `to`.
std::span<const CondensedStretch> condensed_within(const Trace& trace, HostTime from, HostTime to);

/// Whether readings of about `time` were condensed.
bool is_condensed_at(const Trace& trace, HostTime time);

}  // namespace truewatt
