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
  /// False: loops had no turn. Errors: those of the device.
  Result<bool> measure(Seconds until, Seconds end);
  /// Until then, what is not known well.
  Result<void> repeat(Seconds until);

 private:
  std::vector<std::size_t> loops_to_repeat() const;

  Rounds& rounds_;
  Observations& seen_;
  const Options& options_;
};

}  // namespace truewatt::memory
