#pragma once

#include <cstdint>

namespace truewatt::simgpu {

/// Random numbers that depend on (seed, stream, index) and on nothing else, so that a simulated
/// reading is the same whoever asked before. Pure functions.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
/// Uniform in (0, 1).
double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
/// Standard normal.
double random_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

}  // namespace truewatt::simgpu
