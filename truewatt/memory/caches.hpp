#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/counters.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/results.hpp"

namespace truewatt::memory {

/// The size at which a cache stops having what is walked: where the curve has gone a quarter of the
/// way from its plateau of small arrays to that of large ones (caches keep much of an array that is
/// a little too large: an H200's L1 of 256 KiB misses 17 % there, 41 % of one of 288), between the
/// two points that lie on either side, on a logarithmic scale, at 0.4 of their distance or more
/// where it rises by over half of the way there. By the time of a sector, or, where that shows no
/// step near theirs, by the counted misses. Nothing where the curve has no step: a sector takes
/// less than a quarter longer, and fewer than a third of the sectors begin to miss, or the step is
/// not over where the curve ends. Times of arrays that a next cache of `next_bytes` does not have
/// tell nothing of this one. Pure.
std::optional<double> size_of_step(std::span<const CachePoint> curve,
                                   std::optional<double> next_bytes = std::nullopt);

struct CacheOptions {
  counters::Counters* counters = nullptr;  ///< null: by time
  /// Curves whose counting would end later, by what was spent so far, are left to time.
  std::function<Seconds()> spent{};
  Seconds count_until{std::numeric_limits<double>::infinity()};
  std::function<void(double share)> progress{};
  std::function<bool()> stopped{};
};

/// Walks arrays of 1 KiB to 2 MiB (Delestrac et al. 2024, section V-A and Fig. 2), every
/// multiprocessor by itself through L1, then of 64 KiB to 1 GiB, all one past L1; then rows at
/// growing distances for the sizes of sectors and lines. Errors: those of the load.
Result<Caches> find_caches(load::Load& load, const CacheOptions& options);

}  // namespace truewatt::memory
