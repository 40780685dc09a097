#pragma once

#include <memory>
#include <string_view>

#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

/// Square matrices of floats, C = A B, as the plainest implementation with shared memory has it:
/// blocks of 1024 threads, tiles of 32 by 32, an element of C a thread, no tensor cores (the
/// MatMul of Delestrac et al. 2024, section VII-A). One iteration of a block is one tile of C.
struct MatrixProduct {
  unsigned size = 1024;  ///< rows; a multiple of 32, up to 8192
  /// The same multiply-adds on registers, without a tile being moved: what computing costs.
  bool without = false;
};

inline constexpr unsigned kTile = 32;
/// Tiles of C.
double tiles_of(const MatrixProduct& product);

/// Results are checked element by element. The size must be as above.
std::shared_ptr<const Kernel> make_matrix_product(const MatrixProduct& product);

inline constexpr std::string_view kMatrixProductEntry = "truewatt_matrix_product";

}  // namespace truewatt::kernels
