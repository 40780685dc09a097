// mma.sync of double precision in the shapes that Hopper added: fragments of up to 8 doubles, more
// than a thread's operands hold. The others come from its neighbours.

#include <fmt/format.h>

#include <string>

#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

constexpr int kAccumulators = 4;
/// Doubles of an operand that a thread has of its own: of the ring and of A, and of B.
constexpr int kOwn = 2;
constexpr int kOwnOfB = 1;

/// Gives register `to` what `from` is in the thread whose lane differs by `lanes`.
std::string from_neighbour(const std::string& to, const std::string& from, int lanes) {
  std::string text = fmt::format("mov.b64 {{%r_low, %r_high}}, {}; ", from);
  for (const char* half : {"%r_low", "%r_high"}) {
    text += fmt::format("shfl.sync.bfly.b32 {0}, {0}, {1}, 31, -1; ", half, lanes);
  }
  return text + fmt::format("mov.b64 {}, {{%r_low, %r_high}}; ", to);
}

/// Registers %NAMEk_0 ... of all ring positions: a thread's own doubles of `operand`, then its
/// neighbours'.
std::string fragments(char name, char operand, int own_count, int count) {
  std::string text;
  for (unsigned k = 0; k < kRing; ++k) {
    text += fmt::format(".reg .f64 %{}{}_<{}>; ", name, k, count);
    for (int i = 0; i < count; ++i) {
      const std::string own = fmt::format("%{}{}_{}", operand, k, i % own_count);
      const std::string to = fmt::format("%{}{}_{}", name, k, i);
      text += i < own_count ? fmt::format("mov.f64 {}, {}; ", to, own)
                            : from_neighbour(to, own, i / own_count);
    }
  }
  return text;
}

std::string list(char name, const char* k, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{}%{}{}_{}", i == 0 ? "" : ", ", name, k, i);
  }
  return text + "}";
}

std::string sums() {
  std::string text;
  for (unsigned k = 0; k < kRing; ++k) {
    for (int i = 0; i < kOwn; ++i) {
      text += fmt::format("add.f64 %d{0}_{1}, %s{0}_{1}, %s{0}_{2}; ", k, i, i + kOwn);
    }
  }
  return text;
}

std::string_view kept(std::string statements) {
  statements.pop_back();
  return keep(std::move(statements));
}

/// m16n8k`k` has 2, 4 or 8 doubles of A in a thread, half as many of B, and 4 accumulators.
Instruction mma(int k) {
  const int of_a = k / 2;
  const int of_b = k / 4;
  Instruction row{.group = group::kMatrix, .machine = "DMMA", .values = Values::matrices};
  row.key = keep(fmt::format("mma.sync.m16n8k{}.f64", k));
  row.text = keep(fmt::format("mma.sync.aligned.m16n8k{}.row.col.f64.f64.f64.f64 {}, {}, {}, {};",
                              k, list('s', "$i", kAccumulators), list('a', "$i", of_a),
                              list('b', "$i", of_b), list('s', "$j", kAccumulators)));
  row.setup = kept(".reg .b32 %r_low, %r_high; " + fragments('s', 'd', kOwn, kAccumulators) +
                   fragments('a', 'c', kOwn, of_a) + fragments('b', 'e', kOwnOfB, of_b));
  row.finish = kept(sums());
  row.d = row.c = {'g', kOwn};
  row.e = {'g', kOwnOfB};
  row.unchecked = "the order of a tensor core's additions is not published";
  row.lowest = {90};
  row.ptx_version = 78;
  row.fma_per_warp = 16 * 8 * k;
  return row;
}

}  // namespace

Rows double_matrix_rows() { return {mma(4), mma(8), mma(16)}; }

}  // namespace truewatt::kernels
