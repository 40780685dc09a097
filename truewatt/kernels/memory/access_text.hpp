#pragma once

#include <cstdint>
#include <string>

#include "truewatt/kernels/memory/access_kernel.hpp"

namespace truewatt::kernels {

/// What each thread stores or begins with lies behind the array: as many values, of 16 bytes.
inline constexpr std::uint64_t kValues = 4096;
inline constexpr std::uint64_t kValueBytes = 16;
inline constexpr std::uint64_t kValuesBytes = kValues * kValueBytes;
/// Blocks with a region of their own; those behind them have the same again.
inline constexpr std::uint64_t kRegions = 256;

/// Bytes of the array that a pattern walks.
std::uint64_t array_of(const AccessPattern& pattern);
/// LOP3 beside each load.
unsigned logic_per_load(const AccessPattern& pattern);
/// The PTX of a pattern's kernel.
std::string access_text(const AccessPattern& pattern);

}  // namespace truewatt::kernels
