#pragma once

#include <optional>
#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/ticks.hpp"

namespace truewatt::identification {

/// Energy by a counter's ticks over energy by a power source's readings, each reading held for the
/// time up to its tick, over the time that both cover: 1 where both are of the same power. With a
/// 95 % interval from leaving out stretches of it (jackknife), which holds what a source misses or
/// sees late of random work, not what it misses of work in step with it. Nothing below eight
/// stretches of four seconds or where the counter went backwards. Times in s, J and W. Pure.
std::optional<Interval> energy_agreement(std::span<const energy::Tick> counter,
                                         std::span<const energy::Tick> power);

}  // namespace truewatt::identification
