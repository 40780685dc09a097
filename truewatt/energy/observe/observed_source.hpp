#pragma once

#include <optional>

#include "truewatt/energy/observe/observed_board.hpp"

// The readings of one source; for this layer only.
namespace truewatt::energy {

/// A source, or why its readings are no evidence; neither where there are too few.
struct Observed {
  std::optional<ObservedSource> source{};
  std::optional<Reason> refusal{};
};

/// What is assumed of a sensor's shape is not its shape: what differs is another error of each
/// reading, as of a look at another time, s.
double shape_sd(const ObservedSource& source);

/// A source's readings, placed where they looked, and what is known of its sensor. The
/// board's power limit is `limit_w` at most; `is_trailing`: another source says that this one shows
/// the last second's mean.
Observed observed(const Trace& trace, const Knowledge& knowledge, HostTime origin, double limit_w,
                  bool is_trailing = false);

}  // namespace truewatt::energy
