#pragma once

// How rows are written: one file a kind of rows, which table.cpp joins.

#include <string>
#include <string_view>
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
inline constexpr std::string_view kBits = "bits and bytes";
inline constexpr std::string_view kPacked = "packed half precision";
inline constexpr std::string_view kConversion = "conversion";
inline constexpr std::string_view kWarp = "warp";
inline constexpr std::string_view kControl = "control";
inline constexpr std::string_view kMatrix = "matrix";
inline constexpr std::string_view kMemory = "memory";
}  // namespace group

/// Operands as PTX declares them.
inline constexpr Registers kWord{'r', 1};
inline constexpr Registers kTwoWords{'r', 2};
inline constexpr Registers kLong{'d', 1};
inline constexpr Registers kFloat{'f', 1};
inline constexpr Registers kDouble{'g', 1};
inline constexpr Registers kHalf{'h', 1, Element::f16};
inline constexpr Registers kHalf2{'r', 1, Element::f16};
inline constexpr Registers kBfloat{'h', 1, Element::bf16};
inline constexpr Registers kBfloat2{'r', 1, Element::bf16};

/// Why the host does not compute a row again.
namespace reason {
inline constexpr std::string_view kApproximate =
    "the last bits of approximations are not published";
inline constexpr std::string_view kLanes = "its results depend on other threads";
inline constexpr std::string_view kMemory = "it moves data that no later instruction uses";
}  // namespace reason

using Rows = std::vector<Instruction>;

/// Rows hold views; a text that is put together lives here, as long as the program.
std::string_view keep(std::string text);

Rows integer_rows();
Rows logic_rows();
Rows multi_rows();
Rows intrinsic_rows();
Rows single_rows();
Rows double_rows();
Rows half_rows();
Rows special_rows();
Rows conversion_rows();
Rows warp_rows();
Rows memory_rows();
Rows matrix_rows();
Rows double_matrix_rows();
Rows wgmma_rows();

}  // namespace truewatt::kernels
