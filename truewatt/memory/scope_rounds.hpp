#pragma once

#include <optional>

#include "truewatt/devices/device_set.hpp"
#include "truewatt/memory/memory.hpp"
#include "truewatt/memory/observations.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/memory/rounds.hpp"

namespace truewatt::memory {

/// Whether a source reads the power of the board's memory alone.
bool reads_memory(const devices::Device& device);

/// How long measure_scope() takes. Pure.
Seconds length_of_scope();

/// What that source reads while loads are served by L2 and by DRAM. Nothing where either was not
/// reached, and where it draws no more for DRAM's loads. Errors: those of the device.
Result<std::optional<MemoryScope>> measure_scope(Rounds& rounds, Observations& seen,
                                                 const Options& options);

}  // namespace truewatt::memory
