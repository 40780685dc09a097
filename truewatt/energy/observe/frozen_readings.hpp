#pragma once

#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// By sample of a power source that publishes every `period` seconds, whether its value stood for
/// ten periods and more though readings about as high hardly ever stand for two: the driver went on
/// showing it, and nobody knows what the board drew. Pure.
std::vector<bool> frozen_samples(const Trace& trace, double period);

/// Stretches in which a power source showed one value while utilization, P-state, clocks or
/// another source of its scope went from idle to work or back: it did not see what the board drew.
/// `trace` is one of the recording's. Pure.
std::vector<Gap> frozen_stretches(const Recording& recording, const Trace& trace);

}  // namespace truewatt::energy
