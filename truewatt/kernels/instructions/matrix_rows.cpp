#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

constexpr std::string_view kOrder = "the order of a tensor core's additions is not published";

}  // namespace

Rows matrix_rows() {
  return {
      {.key = "mma.sync.m16n8k16.f32.f16",
       .group = group::kMatrix,
       .ptx_version = 70,
       .lowest = {80},
       .fma_per_warp = 16 * 8 * 16,
       .text = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 $d, $c, $e, $n;",
       .machine = "HMMA",
       .values = Values::matrices,
       .d = {'f', 4},
       .c = {'r', 4},
       .e = {'r', 2},
       .unchecked = kOrder},
  };
}

}  // namespace truewatt::kernels
