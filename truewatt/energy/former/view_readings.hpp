#pragma once

#include <cstddef>

#include "truewatt/energy/former/source_view.hpp"

// What the readings of one source say by themselves, before any model of the power. Pure functions.
namespace truewatt::energy {

/// How long a source remembers what was, s.
double memory_of(const ObservationModel& model);

/// What a reading of a source scatters by at idle, W: beside the load from `begin` to `end`, s,
/// where it shows enough idle. Of a counter: what its counts are never better than, J.
double scatter_of(const SourceView& view, double begin, double end);

/// Mean power between tick number k > 0 of a counter and the one before, else the reading, W.
double power_at(const SourceView& view, std::size_t k);

/// How fast the readings of a source change about one of them, W/s (a counter's: J/s), by its
/// neighbours.
double slope_at(const SourceView& view, std::size_t k);

}  // namespace truewatt::energy
