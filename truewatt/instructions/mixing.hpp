#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/instructions/known_kernel.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::instructions {

/// What mixed code draws beside its rows (docs/method.md, section 14, eq. 36b): a row's loop sends
/// one kind of instruction through the board, and neighbours of two kinds make more of its shared
/// paths toggle. Told by loops of two kinds, whose rows a table has.

std::span<const KnownKernel> mixed_pairs();

/// Those whose rows are among these keys.
std::vector<KnownKernel> mixed_pairs_of(std::span<const RowKey> keys);

/// How long so many pairs take.
Seconds mixing_takes(std::size_t pairs, const devices::DeviceSet& set);

/// From fewer pairs nothing is told of how far they differ.
inline constexpr std::size_t kFewestPairs = 4;

/// Plays each pair twice. Nothing where fewer than kFewestPairs have a number. As play_known
/// otherwise.
Result<std::optional<Mixing>> measure_mixing(devices::DeviceSet& set, load::Load& load,
                                             const Options& options, const Observations& seen,
                                             std::span<const KnownKernel> pairs, int& windows);

/// Mean of pairs' shares, and by how much they differ; nothing of fewer than kFewestPairs. Pure.
std::optional<Mixing> mixing_of(std::span<const uncertainty::Budget> shares);

/// Beside parts of so many joules, or watts. Pure.
uncertainty::Budget drawn_by_mixing(const Mixing& mixing, std::span<const double> parts);

}  // namespace truewatt::instructions
