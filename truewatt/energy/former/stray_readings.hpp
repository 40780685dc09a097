#pragma once

#include <span>
#include <vector>

#include "truewatt/energy/former/kriging.hpp"

namespace truewatt::energy {

/// Readings of a driver's ring that are of another time than their tick, up to a period early or
/// late: such counts as one where the model of the other readings puts what it shows between its
/// neighbours, and no more than a part of the readings at edges do. By reading, so many times its
/// noise's variance that it is worth less; empty where none are found, or too many to be strays.
/// `before` is what an earlier call returned, which `readings` carry already; empty at first. Spans
/// are of one source, in order of time. Pure.
std::vector<double> stray_readings(const std::vector<double>& before,
                                   std::span<const ObservedReading> readings,
                                   std::span<const double> predicted,
                                   std::span<const double> innovations);

}  // namespace truewatt::energy
