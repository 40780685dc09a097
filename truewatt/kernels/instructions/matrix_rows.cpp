// mma.sync: fragments in registers. d is the ring of accumulators, c the factor A, e the factor B.

#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

constexpr std::string_view kOrder = "the order of a tensor core's additions is not published";

struct Shape {
  int m, n, k;
};

Instruction mma(std::string_view key, std::string_view text, std::string_view machine, Shape shape,
                Registers d, Registers a, Registers b, Target lowest = {80}, int ptx_version = 70) {
  return {.key = key,
          .group = group::kMatrix,
          .text = text,
          .machine = machine,
          .values = Values::matrices,
          .d = d,
          .c = a,
          .e = b,
          .unchecked = kOrder,
          .lowest = lowest,
          .ptx_version = ptx_version,
          .fma_per_warp = shape.m * shape.n * shape.k};
}

constexpr Registers f16(int count) { return {'r', count, Element::f16}; }
constexpr Registers bf16(int count) { return {'r', count, Element::bf16}; }
constexpr Registers tf32(int count) { return {'r', count, Element::tf32}; }
constexpr Registers e4m3(int count) { return {'r', count, Element::e4m3}; }
constexpr Registers words(int count) { return {'r', count}; }
constexpr Registers floats(int count) { return {'f', count}; }
constexpr Registers doubles(int count) { return {'g', count}; }

}  // namespace

Rows matrix_rows() {
  return {
      mma("mma.sync.m16n8k8.f32.f16",
          "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 $d, $c, {$e}, $n;", "HMMA", {16, 8, 8},
          floats(4), f16(2), f16(1), {75}, 65),
      mma("mma.sync.m16n8k8.f16.f16",
          "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 $d, $c, {$e}, $n;", "HMMA", {16, 8, 8},
          f16(2), f16(2), f16(1), {75}, 65),
      mma("mma.sync.m16n8k16.f32.f16",
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 $d, $c, $e, $n;", "HMMA", {16, 8, 16},
          floats(4), f16(4), f16(2)),
      mma("mma.sync.m16n8k16.f16.f16",
          "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 $d, $c, $e, $n;", "HMMA", {16, 8, 16},
          f16(2), f16(4), f16(2)),
      mma("mma.sync.m16n8k8.f32.bf16",
          "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 $d, $c, {$e}, $n;", "HMMA",
          {16, 8, 8}, floats(4), bf16(2), bf16(1)),
      mma("mma.sync.m16n8k16.f32.bf16",
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 $d, $c, $e, $n;", "HMMA",
          {16, 8, 16}, floats(4), bf16(4), bf16(2)),
      mma("mma.sync.m16n8k4.f32.tf32",
          "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 $d, $c, {$e}, $n;", "HMMA",
          {16, 8, 4}, floats(4), tf32(2), tf32(1)),
      mma("mma.sync.m16n8k8.f32.tf32",
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 $d, $c, $e, $n;", "HMMA", {16, 8, 8},
          floats(4), tf32(4), tf32(2)),
      mma("mma.sync.m8n8k16.s32.s8",
          "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 $d, {$c}, {$e}, $n;", "IMMA", {8, 8, 16},
          words(2), words(1), words(1), {75}, 65),
      mma("mma.sync.m16n8k16.s32.s8",
          "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 $d, $c, {$e}, $n;", "IMMA", {16, 8, 16},
          words(4), words(2), words(1)),
      mma("mma.sync.m16n8k32.s32.s8",
          "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 $d, $c, $e, $n;", "IMMA", {16, 8, 32},
          words(4), words(4), words(2)),
      mma("mma.sync.m16n8k32.f32.e4m3",
          "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 $d, $c, $e, $n;", "QMMA",
          {16, 8, 32}, floats(4), e4m3(4), e4m3(2), {89}, 84),
      mma("mma.sync.m8n8k4.f64",
          "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 $d, {$c}, {$e}, $n;", "DMMA", {8, 8, 4},
          doubles(2), doubles(1), doubles(1)),
  };
}

}  // namespace truewatt::kernels
