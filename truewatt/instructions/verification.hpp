#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/instructions/known_kernel.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// Whether a table is right: kernels of known counts are predicted from the rows and measured. A
/// pure FMA kernel may be off by 5 %, mixed ones by 10 %.

/// The kernels: of rows without partners, whose pipes work side by side, behind one another, and at
/// other rates. No loop is one that a row, or what mixed code draws, was measured at.
std::span<const KnownKernel> verified_kernels();

/// How long it takes.
Seconds verification_takes(const devices::DeviceSet& set);

/// Plays the kernels three times. `mixing`: what mixed code draws beside its rows, where it was
/// measured. As play_known otherwise.
Result<std::vector<VerifiedKernel>> verify_kernels(devices::DeviceSet& set, load::Load& load,
                                                   const Options& options, const Observations& seen,
                                                   const std::optional<Mixing>& mixing,
                                                   int& windows);

}  // namespace truewatt::instructions
