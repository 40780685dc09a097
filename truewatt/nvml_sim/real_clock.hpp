#pragma once

#include <memory>

#include "truewatt/base/clock.hpp"

namespace truewatt::nvml_sim {

/// CLOCK_MONOTONIC and CLOCK_REALTIME of the machine: the only place of this layer that reads a
/// clock or sleeps.
std::shared_ptr<Clock> real_clock();

}  // namespace truewatt::nvml_sim
