// Integer arithmetic of Table I.

#include <algorithm>

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using U = std::uint32_t;
using S = std::int32_t;
using UU = std::uint64_t;

constexpr std::string_view kAdd = "IADD3|IMAD.IADD|VIADD";
constexpr std::string_view kMinimum = "IMNMX|VIMNMX";
constexpr std::string_view kSums = "add / sub / min / max";
constexpr std::string_view kProducts = "mul / mad";

Instruction row(std::string_view key, std::string_view paper, std::string_view text,
                std::string_view machine, Step step, Values values = Values::integers) {
  return {.key = key,
          .group = group::kInteger,
          .paper = paper,
          .text = text,
          .machine = machine,
          .values = values,
          .step = step};
}

/// min, max: a register comes to rest at the smaller or larger of two values.
Instruction settling(std::string_view key, std::string_view text, Step step) {
  Instruction one = row(key, kSums, text, kMinimum, step);
  one.settles = true;
  return one;
}

Instruction with_partner(std::string_view partner, Instruction one) {
  one.partner = partner;
  return one;
}

U magnitude(S value) { return value < 0 ? U{0} - static_cast<U>(value) : static_cast<U>(value); }
U high(U a, U b) { return static_cast<U>(UU{a} * b >> 32); }
U high_signed(U a, U b) {
  return static_cast<U>(std::int64_t{static_cast<S>(a)} * static_cast<S>(b) >> 32);
}

}  // namespace

Rows integer_rows() {
  Rows rows{
      row("add.s32", kSums, "add.s32 $d, $d, $n;", kAdd,
          on<U>([](U d, U n, U, U) { return d + n; })),
      row("add.u32", kSums, "add.u32 $d, $d, $n;", kAdd,
          on<U>([](U d, U n, U, U) { return d + n; })),
      row("sub.s32", kSums, "sub.s32 $d, $d, $n;", kAdd,
          on<U>([](U d, U n, U, U) { return d - n; })),
      row("sub.u32", kSums, "sub.u32 $d, $d, $n;", kAdd,
          on<U>([](U d, U n, U, U) { return d - n; })),
      settling("min.s32", "$p min.s32 $d, $d, $c;",
               on<S>([](S d, S, S c, S) { return std::min(d, c); })),
      settling("min.u32", "$p min.u32 $d, $d, $c;",
               on<U>([](U d, U, U c, U) { return std::min(d, c); })),
      settling("max.s32", "$p max.s32 $d, $d, $c;",
               on<S>([](S d, S, S c, S) { return std::max(d, c); })),
      settling("max.u32", "$p max.u32 $d, $d, $c;",
               on<U>([](U d, U, U c, U) { return std::max(d, c); })),
      row("mul.lo.s32", kProducts, "mul.lo.s32 $d, $d, $n;", "IMAD",
          on<U>([](U d, U n, U, U) { return d * n; }), Values::odd),
      row("mul.lo.u32", kProducts, "mul.lo.u32 $d, $d, $n;", "IMAD",
          on<U>([](U d, U n, U, U) { return d * n; }), Values::odd),
      row("mad.lo.s32", kProducts, "mad.lo.s32 $d, $d, $c, $n;", "IMAD",
          on<U>([](U d, U n, U c, U) { return d * c + n; }), Values::odd),
      row("mad.lo.u32", kProducts, "mad.lo.u32 $d, $d, $c, $n;", "IMAD",
          on<U>([](U d, U n, U c, U) { return d * c + n; }), Values::odd),
      with_partner("xor.b32",
                   row("mul.hi.s32", kProducts, "mul.hi.s32 $d, $d, $c; xor.b32 $d, $d, $n;",
                       "IMAD.HI", on<U>([](U d, U n, U c, U) { return high_signed(d, c) ^ n; }))),
      with_partner("xor.b32",
                   row("mul.hi.u32", kProducts, "mul.hi.u32 $d, $d, $c; xor.b32 $d, $d, $n;",
                       "IMAD.HI", on<U>([](U d, U n, U c, U) { return high(d, c) ^ n; }))),
      row("mad.hi.s32", kProducts, "mad.hi.s32 $d, $d, $c, $n;", "IMAD.HI",
          on<U>([](U d, U n, U c, U) { return high_signed(d, c) + n; })),
      row("mad.hi.u32", kProducts, "mad.hi.u32 $d, $d, $c, $n;", "IMAD.HI",
          on<U>([](U d, U n, U c, U) { return high(d, c) + n; })),
      row("div.s32", "{s} div", "div.s32 $d, $c, $n;", "MUFU.RCP",
          on<S>([](S, S n, S c, S) { return n == 0 ? -1 : static_cast<S>(std::int64_t{c} / n); }),
          Values::signed_dividends),
      row("div.u32", "{u} div", "div.u32 $d, $c, $n;", "MUFU.RCP",
          on<U>([](U, U n, U c, U) { return n == 0 ? ~U{0} : c / n; }), Values::dividends),
      with_partner("add.s32", row("rem.s32", "{s} rem", "rem.s32 $d, $c, $d; add.s32 $d, $d, $e;",
                                  "MUFU.RCP", on<S>([](S d, S, S c, S e) {
                                    return static_cast<S>((d == 0 ? -1 : std::int64_t{c} % d) + e);
                                  }),
                                  Values::dividends)),
      with_partner("add.s32",
                   row("rem.u32", "{u} rem", "rem.u32 $d, $c, $d; add.u32 $d, $d, $e;", "MUFU.RCP",
                       on<U>([](U d, U, U c, U e) { return (d == 0 ? ~U{0} : c % d) + e; }),
                       Values::dividends)),
      with_partner("add.s32",
                   row("abs.s32", "abs",
                       "{ .reg .b32 %r_size; abs.s32 %r_size, $n; add.s32 $d, $d, %r_size; }",
                       "IABS", on<S>([](S d, S n, S, S) {
                         return static_cast<S>(static_cast<U>(d) + magnitude(n));
                       }))),
  };
  rows.push_back(
      {.key = "mad.wide.u32",
       .group = group::kBits,
       .text = "{ .reg .b32 %r_low, %r_high; mov.b64 {%r_low, %r_high}, $n; "
               "mad.wide.u32 $d, %r_low, %r_high, $e; }",
       .machine = "IMAD.WIDE|IMAD.HI",
       .d = kLong,
       .e = kLong,
       .step = on<UU>([](UU, UU n, UU, UU e) { return (n & 0xFFFFFFFF) * (n >> 32) + e; })});
  rows.push_back({.key = "add.u64",
                  .group = group::kBits,
                  .text = "add.u64 $d, $d, $n;",
                  .machine = "IADD3|IMAD.IADD|IMAD.X|IADD.64",
                  .d = kLong,
                  .step = on<UU>([](UU d, UU n, UU, UU) { return d + n; })});
  rows.push_back({.key = "mul.lo.u64",
                  .group = group::kBits,
                  .text = "mul.lo.u64 $d, $d, $n;",
                  .machine = "IMAD.WIDE",
                  .values = Values::odd,
                  .d = kLong,
                  .step = on<UU>([](UU d, UU n, UU, UU) { return d * n; })});
  return rows;
}

}  // namespace truewatt::kernels
