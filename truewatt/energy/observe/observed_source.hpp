#pragma once

#include <optional>

#include "truewatt/energy/observe/observed_board.hpp"

// The readings of one source; for this layer only.
namespace truewatt::energy {

/// A source's readings, placed where they looked, and what is known of its sensor; nothing for
/// fewer than three.
std::optional<ObservedSource> observed(const Trace& trace, const Knowledge& knowledge,
                                       HostTime origin);

/// Why readings are no measurement, whatever the source.
std::optional<Reason> why_not_measured(const ObservedSource& source);

}  // namespace truewatt::energy
