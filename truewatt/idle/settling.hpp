#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace truewatt::idle {

/// How many of these powers, at equal times, passed until they stayed where the last third of them
/// is: within 4 of its standard deviations, 1 %, or half a watt, whichever is most. Nothing where
/// the last third has a trend beyond that, a single power within it is outside, or there are fewer
/// than nine. Pure.
std::optional<std::size_t> settled_after(std::span<const double> power_w);

}  // namespace truewatt::idle
