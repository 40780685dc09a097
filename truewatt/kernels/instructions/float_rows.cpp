#include <cmath>

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

constexpr Registers kFloat{'f', 1};

}  // namespace

Rows float_rows() {
  return {
      {.key = "fma.rn.f32",
       .group = group::kSingle,
       .paper = "mul / mad / fma",
       .text = "fma.rn.f32 $d, $n, $c, $e;",
       .machine = "FFMA",
       .values = Values::affine,
       .d = kFloat,
       .c = kFloat,
       .e = kFloat,
       .step = on<float>([](float, float n, float c, float e) { return std::fma(n, c, e); })},
  };
}

}  // namespace truewatt::kernels
