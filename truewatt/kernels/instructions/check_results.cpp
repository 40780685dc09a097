#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/kernels/instructions/layout.hpp"
#include "truewatt/kernels/instructions/small_float.hpp"

namespace truewatt::kernels {
namespace {

using Ring = std::array<std::uint64_t, kRing>;

/// The four operands of a role, of at most 8 bytes each.
Ring read_role(std::span<const std::byte> bytes, std::size_t role, const Registers& registers) {
  Ring ring{};
  const std::size_t size =
      register_bytes(registers.kind) * static_cast<std::size_t>(registers.count);
  for (std::size_t k = 0; k < kRing; ++k) {
    std::memcpy(&ring[k], bytes.data() + role + kOperandStride * k, size);
  }
  return ring;
}

Ring compute(const Instruction& row, unsigned copies, unsigned iterations,
             std::span<const std::byte> operands) {
  Ring d = read_role(operands, kRingAt, row.d);
  const Ring c = read_role(operands, kConstantsAt, row.c);
  const Ring e = read_role(operands, kMoreConstantsAt, row.e);
  const std::uint64_t steps = std::uint64_t{copies} * iterations;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::size_t k = step % kRing;
    d[k] = row.step({d[k], d[(k + 1) % kRing], d[(k + kRing - 1) % kRing], c[k], e[k]});
  }
  return d;
}

/// Whether two registers hold the same; one NaN is as good as another.
bool same(const Registers& registers, std::uint64_t a, std::uint64_t b) {
  const Element element = element_of(registers);
  if (a == b || element == Element::integer) return a == b;
  const int bits = format_of(element).bits;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const int all = 8 * static_cast<int>(register_bytes(registers.kind)) * registers.count;
  for (int at = 0; at < all; at += bits) {
    const std::uint64_t x = a >> at & mask;
    const std::uint64_t y = b >> at & mask;
    if (x != y && !(std::isnan(decode(element, x)) && std::isnan(decode(element, y)))) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> check_results(const Instruction& instruction, unsigned copies,
                                         unsigned iterations, std::span<const std::byte> operands,
                                         std::span<const std::byte> results) {
  if (instruction.step == nullptr) return std::nullopt;
  const std::size_t threads =
      std::min(operands.size() / kOperandBytes, results.size() / kResultBytes);
  for (std::size_t t = 0; t < threads; ++t) {
    const Ring due = compute(instruction, copies, iterations,
                             operands.subspan(t * kOperandBytes, kOperandBytes));
    const Ring is = read_role(results.subspan(t * kResultBytes, kResultBytes), 0, instruction.d);
    for (std::size_t k = 0; k < kRing; ++k) {
      if (same(instruction.d, is[k], due[k])) continue;
      return fmt::format("{}: register {} of thread {} is {:#x}, not {:#x}", instruction.key, k, t,
                         is[k], due[k]);
    }
  }
  return std::nullopt;
}

}  // namespace truewatt::kernels
