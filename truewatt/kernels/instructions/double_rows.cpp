// Double precision of Table I.

#include <algorithm>
#include <cmath>

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using D = double;

constexpr std::string_view kDoubleSums = "add / sub / min / max";

/// Table I has no row for products of double precision; they are ours.
Instruction twice(std::string_view key, std::string_view paper, std::string_view text,
                  std::string_view machine, Values values, Step step, bool settles = false) {
  return {.key = key,
          .group = group::kDouble,
          .paper = paper,
          .text = text,
          .machine = machine,
          .values = values,
          .d = kDouble,
          .c = kDouble,
          .e = kDouble,
          .step = step,
          .settles = settles};
}

}  // namespace

Rows double_rows() {
  return {
      twice("add.f64", kDoubleSums, "add.f64 $d, $n, $c;", "DADD", Values::sums,
            on<D>([](D, D n, D c, D) { return n + c; })),
      twice("sub.f64", kDoubleSums, "sub.f64 $d, $n, $c;", "DADD", Values::sums,
            on<D>([](D, D n, D c, D) { return n - c; })),
      twice("min.f64", kDoubleSums, "min.f64 $d, $d, $c;", "DSETP", Values::sums,
            on<D>([](D d, D, D c, D) { return smaller(d, c); }), true),
      twice("max.f64", kDoubleSums, "max.f64 $d, $d, $c;", "DSETP", Values::sums,
            on<D>([](D d, D, D c, D) { return larger(d, c); }), true),
      twice("mul.f64", "", "mul.f64 $d, $n, $c;", "DMUL", Values::products,
            on<D>([](D, D n, D c, D) { return n * c; })),
      twice("fma.rn.f64", "", "fma.rn.f64 $d, $n, $c, $e;", "DFMA", Values::affine,
            on<D>([](D, D n, D c, D e) { return std::fma(n, c, e); })),
      twice("mad.rn.f64", "", "mad.rn.f64 $d, $n, $c, $e;", "DFMA", Values::affine,
            on<D>([](D, D n, D c, D e) { return std::fma(n, c, e); })),
      twice("div.rn.f64", "div", "div.rn.f64 $d, $c, $n;", "MUFU.RCP64H", Values::products,
            on<D>([](D, D n, D c, D) { return c / n; })),
  };
}

}  // namespace truewatt::kernels
