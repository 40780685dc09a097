#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "truewatt/base/enum_table.hpp"
#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/kernels/instructions/layout.hpp"
#include "truewatt/kernels/instructions/small_float.hpp"

namespace truewatt::kernels {
namespace {

/// Words to draw from: random ones, or always the same.
class Words {
 public:
  Words(bool constant, std::uint64_t seed) : constant_(constant), random_(seed) {}
  std::uint64_t next() { return constant_ ? kSame : random_(); }
  /// An integer of `lowest` to `highest`.
  std::uint64_t between(std::uint64_t lowest, std::uint64_t highest) {
    return lowest + next() % (highest - lowest + 1);
  }
  /// A magnitude of [low, high) with a random sign, on the grid 2^-`bits`.
  double real(double low, double high, int bits, bool with_sign = true) {
    const std::uint64_t word = next();
    const double unit = std::ldexp(static_cast<double>(word >> 11), -53);
    const double magnitude =
        low + std::ldexp(std::floor(std::ldexp(unit * (high - low), bits)), -bits);
    return with_sign && (word & 1) != 0 ? -magnitude : magnitude;
  }

 private:
  static constexpr std::uint64_t kSame = 0x6b5c'a3d2'4e97'1b34;
  bool constant_;
  std::mt19937_64 random_;
};

/// The operands of one thread.
using Thread = std::array<std::byte, kOperandBytes>;

std::size_t elements_of(const Registers& registers) {
  const auto bytes = static_cast<std::size_t>(registers.count) * register_bytes(registers.kind);
  const Element element = element_of(registers);
  const std::size_t width = element == Element::integer
                                ? register_bytes(registers.kind)
                                : static_cast<std::size_t>(format_of(element).bits) / 8;
  return bytes / width;
}

std::size_t element_bytes(const Registers& registers) {
  const Element element = element_of(registers);
  return element == Element::integer ? register_bytes(registers.kind)
                                     : static_cast<std::size_t>(format_of(element).bits) / 8;
}

/// Writes element i of operand k of a role.
void put(Thread& thread, std::size_t role, const Registers& registers, std::size_t k, std::size_t i,
         std::uint64_t bits) {
  const std::size_t width = element_bytes(registers);
  std::memcpy(thread.data() + role + kOperandStride * k + width * i, &bits, width);
}

void put_real(Thread& thread, std::size_t role, const Registers& registers, std::size_t k,
              std::size_t i, double value) {
  put(thread, role, registers, k, i, encode(element_of(registers), value));
}

/// Fills all four operands of a role with integers.
template <class Draw>
void fill(Thread& thread, std::size_t role, const Registers& registers, Draw draw) {
  for (std::size_t k = 0; k < kRing; ++k) {
    for (std::size_t i = 0; i < elements_of(registers); ++i)
      put(thread, role, registers, k, i, draw(k));
  }
}

/// Fills a role with reals: `draw` for operands 0 and 1, `again` of those for 2 and 3.
template <class Draw, class Again>
void fill_pairs(Thread& thread, std::size_t role, const Registers& registers, Draw draw,
                Again again) {
  for (std::size_t i = 0; i < elements_of(registers); ++i) {
    for (std::size_t k = 0; k < kRing / 2; ++k) {
      const double value = draw();
      put_real(thread, role, registers, k, i, value);
      put_real(thread, role, registers, k + 2, i, again(value));
    }
  }
}

/// Fractional bits of a grid on which sums of numbers below 2 are exact.
int exact_bits(const Registers& registers) {
  return format_of(element_of(registers)).fraction_bits - 2;
}

void fill_words(Thread& thread, const Instruction& row, Words& words, std::uint64_t set) {
  const auto draw = [&](std::size_t) { return words.next() | set; };
  fill(thread, kRingAt, row.d, draw);
  fill(thread, kConstantsAt, row.c, draw);
  fill(thread, kMoreConstantsAt, row.e, draw);
}

/// Quotients c/n of a ring stay where they are if c0 = c3 and c1 = c2: the logarithms cancel.
void fill_dividends(Thread& thread, const Instruction& row, Words& words, bool with_sign) {
  constexpr std::array<std::size_t, kRing> kPair{0, 1, 1, 0};
  const auto draw = [&](std::uint64_t lowest, std::uint64_t highest) {
    const std::uint64_t value = words.between(lowest, highest);
    return with_sign && (words.next() & 1) != 0 ? ~value + 1 : value;
  };
  const std::uint64_t first = draw(1U << 30, (1U << 31) - 1);
  const std::array<std::uint64_t, 2> dividends{first, draw(1U << 30, (1U << 31) - 1)};
  fill(thread, kRingAt, row.d, [&](std::size_t) { return draw(1U << 14, 1U << 17); });
  fill(thread, kConstantsAt, row.c, [&](std::size_t k) { return dividends[kPair[k]]; });
  fill(thread, kMoreConstantsAt, row.e,
       [&](std::size_t) { return words.between(1U << 15, 1U << 16); });
}

void fill_integers(Thread& thread, const Instruction& row, Words& words) {
  switch (row.values) {
    case Values::odd:
      return fill_words(thread, row, words, 1);
    case Values::dividends:
    case Values::signed_dividends:
      return fill_dividends(thread, row, words, row.values == Values::signed_dividends);
    case Values::shifts:
      fill_words(thread, row, words, 0);
      return fill(thread, kConstantsAt, row.c, [&](std::size_t) { return words.between(1, 31); });
    default:
      return fill_words(thread, row, words, 0);
  }
}

/// How one role's reals are drawn: magnitudes, grid, and what operands 2 and 3 are.
struct Reals {
  double low = 0.25;
  double high = 1;
  int bits = 52;
  bool with_sign = true;
  enum { drawn, same, opposite, reciprocal } again = drawn;
};

Reals reals_of(Values values, std::size_t role, const Registers& registers) {
  const bool constants = role == kConstantsAt;
  switch (values) {
    case Values::sums:
      return {.bits = exact_bits(registers), .again = constants ? Reals::opposite : Reals::drawn};
    case Values::products:
      return {1, 2, 52, true, constants ? Reals::reciprocal : Reals::drawn};
    case Values::positive:
      return {1, 2, 52, false};
    case Values::large:
      return {4, 8, 52, false};
    case Values::counts:
      return {1 << 20, 1 << 24};
    case Values::matrices:
      return {.again = constants                  ? Reals::opposite
                       : role == kMoreConstantsAt ? Reals::same
                                                  : Reals::drawn};
    default:
      return {.high = constants ? 0.75 : 1};
  }
}

void fill_reals(Thread& thread, std::size_t role, const Registers& registers, Values values,
                Words& words) {
  const Reals reals = reals_of(values, role, registers);
  const auto draw = [&] { return words.real(reals.low, reals.high, reals.bits, reals.with_sign); };
  fill_pairs(thread, role, registers, draw, [&](double x) {
    switch (reals.again) {
      case Reals::same:
        return x;
      case Reals::opposite:
        return -x;
      case Reals::reciprocal:
        return 1 / x;
      case Reals::drawn:
        break;
    }
    return draw();
  });
}

void fill_thread(Thread& thread, const Instruction& row, Operands operands, Words& words) {
  if (operands == Operands::bits) {
    return fill_words(thread, row, words, row.values == Values::odd ? 1 : 0);
  }
  fill_integers(thread, row, words);
  const std::array<std::pair<std::size_t, const Registers*>, 3> roles{
      {{kRingAt, &row.d}, {kConstantsAt, &row.c}, {kMoreConstantsAt, &row.e}}};
  for (const auto& [role, registers] : roles) {
    if (element_of(*registers) != Element::integer)
      fill_reals(thread, role, *registers, row.values, words);
  }
}

struct OperandsRow {
  std::string_view code;
};

constexpr OperandsRow operands_row(Operands operands) {
  switch (operands) {
    case Operands::zeros:
      return {"zeros"};
    case Operands::constant:
      return {"constant"};
    case Operands::bits:
      return {"bits"};
    case Operands::random:
      return {"random"};
  }
  return {};
}

constexpr auto kOperandsRows = rows_of<Operands, operands_row>();

}  // namespace

std::string_view to_string(Operands operands) { return row_of(kOperandsRows, operands).code; }

std::optional<Operands> find_operands(std::string_view name) {
  return find_code<Operands>(kOperandsRows, name);
}

std::vector<std::byte> operand_data(const Instruction& instruction, Operands operands,
                                    std::size_t threads, std::uint64_t seed) {
  std::vector<std::byte> data(threads * kOperandBytes);
  Words words(operands == Operands::constant, seed);
  for (std::size_t t = 0; t < threads; ++t) {
    Thread thread{};
    if (operands != Operands::zeros) fill_thread(thread, instruction, operands, words);
    const std::array<std::uint32_t, 2> yes{1, 1};
    std::memcpy(thread.data() + kTrueAt, yes.data(), sizeof yes);
    std::memcpy(data.data() + t * kOperandBytes, thread.data(), kOperandBytes);
  }
  return data;
}

}  // namespace truewatt::kernels
