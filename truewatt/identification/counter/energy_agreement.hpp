#pragma once

#include <optional>
#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {

/// What a source published, and by how much what it adds up comes late.
struct Published {
  std::span<const ticks::Tick> ticks;  ///< s, and J of a counter or W of a power source
  double late_s = 0.0;  ///< of a counter d + C; of readings, each held for T, d + C + (W - T)/2
};

/// Energy by a counter over energy by a power source, and the mean power by the latter.
struct EnergyRatio {
  Interval ratio;
  double power_w = 0.0;
};

/// Energy by a counter's ticks over energy by a power source's readings, each reading held for the
/// time up to its tick, over the time that both cover: 1 where both are of the same power. With a
/// 95 % interval from the errors of stretches of one and of four seconds (docs/method.md, eq. 21a),
/// which holds what a source misses or sees late of random work, not what it misses of work in
/// step with it. Nothing below 32 seconds or where the counter went backwards. Pure.
std::optional<EnergyRatio> energy_agreement(const Published& counter, const Published& power);

}  // namespace truewatt::identification
