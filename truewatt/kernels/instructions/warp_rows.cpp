// What the threads of a warp or a block do together, and branches.

#include <fmt/format.h>

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

constexpr int kBlock =
    12;  ///< more instructions than the assembler predicates instead of branching

/// A block that about half of the values skip. Where all threads of a warp have one value, the
/// branch is uniform; else it is divergent and the warp runs the block for those that remain.
Instruction branch(std::string_view key, bool uniform) {
  std::string text =
      "{ .reg .pred %p_side; mad.lo.u32 $d, $d, $c, $e; setp.lt.s32 %p_side, $d, 0; "
      "@%p_side bra $l; ";
  for (int i = 0; i < kBlock; ++i) text += "mad.lo.u32 $d, $d, $c, $e; ";
  std::string same;
  for (const char role : {'d', 'c', 'e'}) {
    for (unsigned k = 0; k < kRing; ++k) {
      same += fmt::format("{1}shfl.sync.idx.b32 %{0}{2}_0, %{0}{2}_0, 0, 31, -1;", role,
                          same.empty() ? "" : " ", k);
    }
  }
  Instruction row{.key = key, .group = group::kControl, .machine = "BRA", .values = Values::odd};
  row.text = keep(text + "$l: }");
  row.partner = "mad.lo.u32 x 13, setp.lt.s32";
  if (uniform) {
    row.setup = keep(same);
    row.unchecked = reason::kLanes;
  } else {
    row.step = on<T>([](T d, T, T c, T e) {
      d = d * c + e;
      if (static_cast<std::int32_t>(d) < 0) return d;
      for (int i = 0; i < kBlock; ++i) d = d * c + e;
      return d;
    });
  }
  return row;
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
      branch("bra.uniform", true),
      branch("bra.divergent", false),
  };
}

}  // namespace truewatt::kernels
