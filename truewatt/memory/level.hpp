#pragma once

#include <cstddef>
#include <string_view>

namespace truewatt::memory {

/// From the nearest to a multiprocessor.
enum class Level { shared, l1, l2, dram, last_ = dram };
inline constexpr std::size_t kLevels = 4;
inline constexpr Level kAllLevels[] = {Level::shared, Level::l1, Level::l2, Level::dram};

/// "shared", "l1", "l2", "dram".
std::string_view to_string(Level level);

/// Bytes of a sector, the piece that memory is moved in.
inline constexpr double kSectorBytes = 32.0;

}  // namespace truewatt::memory
