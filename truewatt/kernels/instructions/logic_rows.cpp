// Logic and shifts of Table I. At O3 a chain of two-input logic merges into three-input LOP3, so
// these rows are predicated with predicates that are always true, which the assembler does not
// know.

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using W = std::uint32_t;

Instruction logic(std::string_view key, std::string_view text, Step step) {
  return {.key = key,
          .group = group::kLogic,
          .paper = "and / or / not / xor",
          .text = text,
          .machine = "LOP3",
          .step = step};
}

Instruction settling_logic(std::string_view key, std::string_view text, Step step) {
  Instruction one = logic(key, text, step);
  one.settles = true;
  return one;
}

Instruction shift(std::string_view key, std::string_view text, Step step) {
  return {.key = key,
          .group = group::kLogic,
          .paper = "shl / shr",
          .text = text,
          .machine = "SHF",
          .values = Values::shifts,
          .step = step,
          .partner = "xor.b32"};
}

}  // namespace

Rows logic_rows() {
  return {
      settling_logic("and.b32", "$p and.b32 $d, $d, $c;",
                     on<W>([](W d, W, W c, W) { return d & c; })),
      settling_logic("or.b32", "$p or.b32 $d, $d, $c;",
                     on<W>([](W d, W, W c, W) { return d | c; })),
      logic("xor.b32", "$p xor.b32 $d, $d, $c;", on<W>([](W d, W, W c, W) { return d ^ c; })),
      logic("not.b32", "$q not.b32 $d, $d;", on<W>([](W d, W, W, W) { return ~d; })),
      {.key = "cnot.b32",
       .group = group::kLogic,
       .paper = "cnot",
       .text = "cnot.b32 $d, $d; xor.b32 $d, $d, $c;",
       .machine = "ISETP",
       .step = on<W>([](W d, W, W c, W) { return (d == 0 ? 1U : 0U) ^ c; }),
       .partner = "xor.b32",
       .settles = true},
      shift("shl.b32", "shl.b32 $d, $d, $c; xor.b32 $d, $d, $n;",
            on<W>([](W d, W n, W c, W) { return shifted_left(d, c) ^ n; })),
      shift("shr.u32", "shr.u32 $d, $d, $c; xor.b32 $d, $d, $n;",
            on<W>([](W d, W n, W c, W) { return shifted_right(d, c) ^ n; })),
      shift("shr.s32", "shr.s32 $d, $d, $c; xor.b32 $d, $d, $n;",
            on<std::int32_t>([](std::int32_t d, std::int32_t n, std::int32_t c, std::int32_t) {
              return shifted_right(d, static_cast<W>(c)) ^ n;
            })),
  };
}

}  // namespace truewatt::kernels
