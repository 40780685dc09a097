// Special mathematical functions of Table I and approximations. Most bring any value to a fixed
// point, so a sum or a product with a constant of the thread follows.

#include <cmath>

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using M = float;
using MM = double;

Instruction special(std::string_view key, std::string_view paper, std::string_view text,
                    std::string_view machine, Values values, std::string_view partner,
                    Step step = nullptr) {
  return {.key = key,
          .group = group::kSpecial,
          .paper = paper,
          .text = text,
          .machine = machine,
          .values = values,
          .d = kFloat,
          .c = kFloat,
          .step = step,
          .unchecked = step == nullptr ? reason::kApproximate : "",
          .partner = partner};
}

Instruction special_since(int ptx_version, Instruction one) {
  one.ptx_version = ptx_version;
  return one;
}

Instruction special_double(Instruction one) {
  one.d = kDouble;
  one.c = kDouble;
  return one;
}

}  // namespace

Rows special_rows() {
  constexpr std::string_view kMul = "mul.f32";
  constexpr std::string_view kAdd32 = "add.f32";
  return {
      special("rcp.rn.f32", "rcp", "rcp.rn.f32 $d, $n;", "MUFU.RCP", Values::products, "",
              on<M>([](M, M n, M, M) { return 1 / n; })),
      special_double(special("rcp.rn.f64", "rcp", "rcp.rn.f64 $d, $n;", "MUFU.RCP64H",
                             Values::products, "", on<MM>([](MM, MM n, MM, MM) { return 1 / n; }))),
      special("sqrt.rn.f32", "sqrt", "sqrt.rn.f32 $d, $n; mul.rn.f32 $d, $d, $c;", "MUFU.RSQ",
              Values::positive, kMul, on<M>([](M, M n, M c, M) { return std::sqrt(n) * c; })),
      special_double(special("sqrt.rn.f64", "sqrt", "sqrt.rn.f64 $d, $n; mul.rn.f64 $d, $d, $c;",
                             "MUFU.RSQ64H", Values::positive, "mul.f64",
                             on<MM>([](MM, MM n, MM c, MM) { return std::sqrt(n) * c; }))),
      special("sqrt.approx.f32", "approx.sqrt", "sqrt.approx.f32 $d, $n; mul.rn.f32 $d, $d, $c;",
              "MUFU.SQRT|MUFU.RSQ", Values::positive, kMul),
      special("sqrt.approx.ftz.f32", "approx.sqrt",
              "sqrt.approx.ftz.f32 $d, $n; mul.rn.ftz.f32 $d, $d, $c;", "MUFU.SQRT|MUFU.RSQ",
              Values::positive, kMul),
      special("rsqrt.approx.f32", "rsqrt", "rsqrt.approx.f32 $d, $n; mul.rn.f32 $d, $d, $c;",
              "MUFU.RSQ", Values::positive, kMul),
      special("rsqrt.approx.ftz.f32", "rsqrt",
              "rsqrt.approx.ftz.f32 $d, $n; mul.rn.ftz.f32 $d, $d, $c;", "MUFU.RSQ",
              Values::positive, kMul),
      special("sin.approx.f32", "sin / cos", "sin.approx.f32 $d, $n; add.rn.f32 $d, $d, $c;",
              "MUFU.SIN", Values::affine, kAdd32),
      special("cos.approx.f32", "sin / cos", "cos.approx.f32 $d, $n; add.rn.f32 $d, $d, $c;",
              "MUFU.COS", Values::affine, kAdd32),
      special("lg2.approx.f32", "lg2", "lg2.approx.f32 $d, $n; add.rn.f32 $d, $d, $c;", "MUFU.LG2",
              Values::large, kAdd32),
      special("lg2.approx.ftz.f32", "lg2", "lg2.approx.ftz.f32 $d, $n; add.rn.ftz.f32 $d, $d, $c;",
              "MUFU.LG2", Values::large, kAdd32),
      special("ex2.approx.f32", "ex2", "ex2.approx.f32 $d, $n; sub.rn.f32 $d, $c, $d;", "MUFU.EX2",
              Values::affine, kAdd32),
      special("ex2.approx.ftz.f32", "ex2", "ex2.approx.ftz.f32 $d, $n; sub.rn.ftz.f32 $d, $c, $d;",
              "MUFU.EX2", Values::affine, kAdd32),
      special("copysign.f32", "copysign", "copysign.f32 $d, $c, $n;", "LOP3", Values::sums, "",
              on<M>([](M, M n, M c, M) { return std::copysign(n, c); })),
      special_double(special("copysign.f64", "copysign", "copysign.f64 $d, $c, $n;", "LOP3",
                             Values::sums, "",
                             on<MM>([](MM, MM n, MM c, MM) { return std::copysign(n, c); }))),
      special("rcp.approx.ftz.f32", "", "rcp.approx.ftz.f32 $d, $n; mul.rn.ftz.f32 $d, $d, $c;",
              "MUFU.RCP", Values::products, kMul),
      special_since(70,
                    special("tanh.approx.f32", "", "tanh.approx.f32 $d, $n; add.rn.f32 $d, $d, $c;",
                            "MUFU.TANH", Values::affine, kAdd32)),
  };
}

}  // namespace truewatt::kernels
