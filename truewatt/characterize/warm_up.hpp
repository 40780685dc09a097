#pragma once

#include <functional>
#include <random>

#include "truewatt/base/result.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/identification/artefacts/warmth_fit.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::characterize {

/// A warm-up takes at most this share of the budget.
inline constexpr double kWarmUpShare = 0.25;

/// What a warm-up does to a device and learns from it.
struct WarmUpSteps {
  std::function<Result<void>(const load::Schedule&)> work;
  std::function<void(Seconds)> rest;
  /// How warm the board is now, by all that was read; nothing when that cannot be told.
  std::function<std::optional<identification::Warmth>()> warmth;
  std::function<bool()> stopped;
};

/// Works at full load, or rests where the board is too hot, in pieces of 1 to 3 s and short pauses
/// of random length, until the board is as warm as random work (half of the time) will keep it, or
/// `most` is spent. Errors are those of the load.
Result<void> warm_up(const WarmUpSteps& steps, Seconds most, std::mt19937_64& rng);

}  // namespace truewatt::characterize
