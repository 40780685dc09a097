// Single precision of Table I.

#include <algorithm>
#include <cmath>

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using F = float;

constexpr std::string_view kFloatSums = "add / sub / min / max";
constexpr std::string_view kFloatProducts = "mul / mad / fma";

Instruction single(std::string_view key, std::string_view paper, std::string_view text,
                   std::string_view machine, Values values, Step step, bool settles = false) {
  return {.key = key,
          .group = group::kSingle,
          .paper = paper,
          .text = text,
          .machine = machine,
          .values = values,
          .d = kFloat,
          .c = kFloat,
          .e = kFloat,
          .step = step,
          .unchecked = step == nullptr ? reason::kApproximate : "",
          .settles = settles};
}

}  // namespace

Rows single_rows() {
  return {
      single("add.f32", kFloatSums, "add.f32 $d, $n, $c;", "FADD", Values::sums,
             on<F>([](F, F n, F c, F) { return n + c; })),
      single("sub.f32", kFloatSums, "sub.f32 $d, $n, $c;", "FADD", Values::sums,
             on<F>([](F, F n, F c, F) { return n - c; })),
      single("min.f32", kFloatSums, "$p min.f32 $d, $d, $c;", "FMNMX", Values::sums,
             on<F>([](F d, F, F c, F) { return smaller(d, c); }), true),
      single("max.f32", kFloatSums, "$p max.f32 $d, $d, $c;", "FMNMX", Values::sums,
             on<F>([](F d, F, F c, F) { return larger(d, c); }), true),
      single("mul.f32", kFloatProducts, "mul.f32 $d, $n, $c;", "FMUL", Values::products,
             on<F>([](F, F n, F c, F) { return n * c; })),
      single("fma.rn.f32", kFloatProducts, "fma.rn.f32 $d, $n, $c, $e;", "FFMA", Values::affine,
             on<F>([](F, F n, F c, F e) { return std::fma(n, c, e); })),
      single("mad.rn.f32", kFloatProducts, "mad.rn.f32 $d, $n, $c, $e;", "FFMA", Values::affine,
             on<F>([](F, F n, F c, F e) { return std::fma(n, c, e); })),
      single("div.rn.f32", "div", "div.rn.f32 $d, $c, $n;", "MUFU.RCP", Values::products,
             on<F>([](F, F n, F c, F) { return c / n; })),
      single("div.full.f32", "", "div.full.f32 $d, $c, $n;", "MUFU.RCP", Values::products, nullptr),
      single("div.approx.f32", "", "div.approx.f32 $d, $c, $n;", "MUFU.RCP", Values::products,
             nullptr),
  };
}

}  // namespace truewatt::kernels
