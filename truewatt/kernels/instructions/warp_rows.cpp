// What the threads of a warp or a block do together, and branches.

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using T = std::uint32_t;

Instruction together(std::string_view key, std::string_view partner, std::string_view text,
                     std::string_view machine, Target lowest = {75}) {
  return {.key = key,
          .group = group::kWarp,
          .text = text,
          .machine = machine,
          .values = Values::shifts,
          .unchecked = reason::kLanes,
          .partner = partner,
          .lowest = lowest,
          .ptx_version = lowest.sm >= 80 ? 70 : 64};
}

}  // namespace

Rows warp_rows() {
  return {
      together("shfl.sync.bfly.b32", "", "shfl.sync.bfly.b32 $d, $n, 5, 31, -1;", "SHFL"),
      together("shfl.sync.idx.b32", "", "shfl.sync.idx.b32 $d, $n, $c, 31, -1;", "SHFL"),
      together("redux.sync.add.s32", "xor.b32",
               "redux.sync.add.s32 $d, $n, -1; xor.b32 $d, $d, $e;", "REDUX", {80}),
      together("vote.sync.ballot.b32", "setp.lt.s32, xor.b32",
               "{ .reg .pred %p_side; setp.lt.s32 %p_side, $n, $c; vote.sync.ballot.b32 $d, "
               "%p_side, -1; xor.b32 $d, $d, $e; }",
               "VOTE"),
      together("match.any.sync.b32", "xor.b32",
               "match.any.sync.b32 $d, $n, -1; xor.b32 $d, $d, $e;", "MATCH"),
      {.key = "bar.sync",
       .group = group::kWarp,
       .text = "bar.sync 0;",
       .machine = "BAR",
       .step = on<T>([](T d, T, T, T) { return d; })},
      {.key = "selp.b32",
       .group = group::kControl,
       .text = "{ .reg .pred %p_side; setp.lt.u32 %p_side, $d, $c; selp.b32 $d, $n, $e, %p_side; }",
       .machine = "SEL",
       .step = on<T>([](T d, T n, T c, T e) { return d < c ? n : e; }),
       .partner = "setp.lt.u32"},
      {.key = "bra.not_taken",
       .group = group::kControl,
       .text = "{ .reg .pred %p_side; mul.lo.u32 $d, $d, $n; setp.eq.u32 %p_side, $d, 0; @%p_side "
               "bra DONE; }",
       .machine = "BRA",
       .values = Values::odd,
       .step = on<T>([](T d, T n, T, T) { return d * n; }),
       .partner = "mul.lo.u32, setp.eq.u32"},
  };
}

}  // namespace truewatt::kernels
