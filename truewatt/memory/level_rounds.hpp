#pragma once

#include <cstddef>
#include <vector>

#include "truewatt/memory/memory.hpp"
#include "truewatt/memory/observations.hpp"
#include "truewatt/memory/rounds.hpp"

namespace truewatt::memory {

/// The walks that aim at levels, in rounds, until every row is known well or the time is over.
class LevelRounds {
 public:
  LevelRounds(Rounds& rounds, Observations& seen, const Options& options)
      : rounds_(rounds), seen_(seen), options_(options) {}

  /// Once every loop, if need be until `end`, then again until `until` what is not known well.
  /// False: loops had no turn. Where the time is too short for all, as many rows as fit have one:
  /// random bits before zeros, loads before stores, each level behind the one that serves what it
  /// does not have. Errors: those of the device.
  Result<bool> measure(Seconds until, Seconds end);
  /// Rows that have loops of which none was played.
  std::size_t without_turn() const;
  /// Until then, what is not known well.
  Result<void> repeat(Seconds until);

 private:
  /// The row's own loops, and the twins that tell what they do beside its accesses.
  std::vector<std::size_t> loops_of(std::size_t row) const;
  bool fit(const std::vector<microbenchmark::PointOf>& points, Seconds end) const;
  /// All loops, or those of the rows whose fewest points fit until then; one row at least.
  std::vector<std::size_t> that_fit(Seconds end) const;
  /// That met the board's limit however few multiprocessors they were tried on.
  std::vector<std::size_t> loops_at_limit() const;
  Result<bool> play_limited(Seconds end);
  bool is_tried_on_fewer(const microbenchmark::PointOf& one) const;
  std::vector<std::size_t> loops_to_repeat() const;

  Rounds& rounds_;
  Observations& seen_;
  const Options& options_;
  std::vector<std::size_t> loops_;  ///< that have a turn, in their order
};

}  // namespace truewatt::memory
