#pragma once

// How rows are written: one call a row, one file a kind of rows.

#include <vector>

#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::kernels {

/// Groups of Table I of Arafa et al. 2020, and ours behind them.
namespace group {
inline constexpr std::string_view kInteger = "integer arithmetic";
inline constexpr std::string_view kLogic = "logic and shift";
inline constexpr std::string_view kSingle = "single precision";
inline constexpr std::string_view kDouble = "double precision";
inline constexpr std::string_view kHalf = "half precision";
inline constexpr std::string_view kMulti = "multi precision";
inline constexpr std::string_view kSpecial = "special mathematical";
inline constexpr std::string_view kIntrinsic = "integer intrinsic";
inline constexpr std::string_view kMatrix = "matrix";
}  // namespace group

using Rows = std::vector<Instruction>;

Rows integer_rows();
Rows float_rows();
Rows matrix_rows();

}  // namespace truewatt::kernels
