// Multi-precision arithmetic of Table I. An operand of two words is the low and the high half.

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using V = std::uint32_t;
using VV = std::uint64_t;

constexpr std::string_view kCarry = "IADD3|IMAD.IADD|IMAD.X|VIADD";
constexpr std::string_view kSum = "add.cc / addc / sub.cc";

/// The carry leaves the copy; what the host computes needs it from copy to copy.
constexpr std::string_view kCarried = "the carry goes on from copy to copy";

}  // namespace

Rows multi_rows() {
  return {
      {.key = "add.cc.u32",
       .group = group::kMulti,
       .paper = kSum,
       .text = "add.cc.u32 $d, $d, $n;",
       .machine = kCarry,
       .step = on<V>([](V d, V n, V, V) { return d + n; })},
      {.key = "sub.cc.u32",
       .group = group::kMulti,
       .paper = kSum,
       .text = "sub.cc.u32 $d, $d, $n;",
       .machine = kCarry,
       .step = on<V>([](V d, V n, V, V) { return d - n; })},
      {.key = "addc.cc.u32",
       .group = group::kMulti,
       .paper = kSum,
       .text = "addc.cc.u32 $d, $d, $n;",
       .machine = kCarry,
       .unchecked = kCarried},
      {.key = "subc.cc.u32",
       .group = group::kMulti,
       .paper = "subc",
       .text = "subc.cc.u32 $d, $d, $n;",
       .machine = kCarry,
       .unchecked = kCarried},
      {.key = "addc.u32",
       .group = group::kMulti,
       .paper = kSum,
       .text = "add.cc.u32 $d0, $d0, $n0; addc.u32 $d1, $d1, $n1;",
       .machine = kCarry,
       .machine_count = 2,
       .d = kTwoWords,
       .step = on<VV>([](VV d, VV n, VV, VV) { return d + n; }),
       .partner = "add.cc.u32"},
      {.key = "subc.u32",
       .group = group::kMulti,
       .paper = "subc",
       .text = "sub.cc.u32 $d0, $d0, $n0; subc.u32 $d1, $d1, $n1;",
       .machine = kCarry,
       .machine_count = 2,
       .d = kTwoWords,
       .step = on<VV>([](VV d, VV n, VV, VV) { return d - n; }),
       .partner = "sub.cc.u32"},
      {.key = "mad.lo.cc.u32",
       .group = group::kMulti,
       .paper = "mad.cc / madc",
       .text = "mad.lo.cc.u32 $d, $d, $c, $n;",
       .machine = "IMAD",
       .values = Values::odd,
       .step = on<V>([](V d, V n, V c, V) { return d * c + n; })},
      {.key = "madc.hi.u32",
       .group = group::kMulti,
       .paper = "mad.cc / madc",
       .text = "mad.lo.cc.u32 $d0, $n0, $c, $d0; madc.hi.u32 $d1, $n0, $c, $d1;",
       .machine = "IMAD|IMAD.WIDE|IMAD.HI",
       .d = kTwoWords,
       .step = on<VV>(
           [](VV d, VV n, VV c, VV) { return static_cast<V>(n) * VV{static_cast<V>(c)} + d; }),
       .partner = "mad.lo.cc.u32"},
  };
}

}  // namespace truewatt::kernels
