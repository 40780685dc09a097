// Operands, and what the host computes of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/kernels/instructions/layout.hpp"
#include "truewatt/kernels/instructions/small_float.hpp"

namespace truewatt::kernels {
namespace {

using testing::HasSubstr;

const Instruction& row_named(std::string_view key) { return *find_instruction(key); }

std::size_t operand_bytes(const Registers& registers) {
  return register_bytes(registers.kind) * static_cast<std::size_t>(registers.count);
}

/// One word of a thread's operands.
template <class T>
T at(const std::vector<std::byte>& data, std::size_t thread, std::size_t offset) {
  T value{};
  std::memcpy(&value, data.data() + thread * kOperandBytes + offset, sizeof value);
  return value;
}

TEST(OperandData, IsThatOfItsSeed) {
  const auto data = operand_data(row_named("add.s32"), Operands::random, 8, 1);
  EXPECT_EQ(data.size(), 8 * kOperandBytes);
  EXPECT_EQ(data, operand_data(row_named("add.s32"), Operands::random, 8, 1));
  EXPECT_NE(data, operand_data(row_named("add.s32"), Operands::random, 8, 2));
}

TEST(OperandData, HasTwoWordsThatAreNeverZero) {
  for (const Operands operands :
       {Operands::zeros, Operands::constant, Operands::bits, Operands::random}) {
    for (const Instruction& row : instructions()) {
      const auto data = operand_data(row, operands, 4, 3);
      for (std::size_t t = 0; t < 4; ++t) {
        EXPECT_NE(at<std::uint32_t>(data, t, kTrueAt), 0U);
        EXPECT_NE(at<std::uint32_t>(data, t, kTrueAt + 4), 0U);
      }
    }
    EXPECT_EQ(find_operands(to_string(operands)), operands);
  }
}

TEST(OperandData, ConstantIsTheSameInEveryThread) {
  for (const Instruction& row : instructions()) {
    const auto data = operand_data(row, Operands::constant, 2, 1);
    EXPECT_TRUE(
        std::equal(data.begin(), data.begin() + kOperandBytes, data.begin() + kOperandBytes))
        << row.key;
  }
}

TEST(OperandData, ConstantsOfASumCancelAndThoseOfAProductToo) {
  const auto sums = operand_data(row_named("add.f32"), Operands::random, 16, 1);
  const auto products = operand_data(row_named("mul.f64"), Operands::random, 16, 1);
  for (std::size_t t = 0; t < 16; ++t) {
    float sum = 0;
    double product = 1;
    for (std::size_t k = 0; k < kRing; ++k) {
      sum += at<float>(sums, t, kConstantsAt + kOperandStride * k);
      product *= at<double>(products, t, kConstantsAt + kOperandStride * k);
    }
    EXPECT_EQ(sum, 0);
    EXPECT_NEAR(product, 1, 1e-15);
  }
}

/// The ring after each round, one register each.
struct Ring {
  std::array<std::uint64_t, kRing> d{}, c{}, e{};
};

Ring ring_of(const Instruction& row, const std::vector<std::byte>& data) {
  Ring ring;
  for (std::size_t k = 0; k < kRing; ++k) {
    std::memcpy(&ring.d[k], data.data() + kOperandStride * k, operand_bytes(row.d));
    std::memcpy(&ring.c[k], data.data() + kConstantsAt + kOperandStride * k, operand_bytes(row.c));
    std::memcpy(&ring.e[k], data.data() + kMoreConstantsAt + kOperandStride * k,
                operand_bytes(row.e));
  }
  return ring;
}

void go_round(const Instruction& row, Ring& ring) {
  for (std::size_t k = 0; k < kRing; ++k) {
    ring.d[k] = row.step({ring.d[k], ring.d[(k + 1) % kRing], ring.d[(k + kRing - 1) % kRing],
                          ring.c[k], ring.e[k]});
  }
}

/// After any number of rounds the random operands are numbers of ordinary size, and successive
/// copies read different ones.
TEST(OperandData, RandomOperandsStayAlive) {
  constexpr int kRounds = 20'000;
  for (const Instruction& row : instructions()) {
    if (row.step == nullptr || row.key == "bar.sync") continue;
    Ring ring = ring_of(row, operand_data(row, Operands::random, 1, 11));
    for (int round = 0; round < kRounds; ++round) go_round(row, ring);
    std::set<std::uint64_t> seen;
    for (int round = 0; round < 4; ++round) {
      go_round(row, ring);
      seen.insert(ring.d.begin(), ring.d.end());
    }
    EXPECT_TRUE(row.settles || seen.size() > 1) << row.key;
    const Element element = element_of(row.d);
    if (element == Element::integer || row.group == "conversion") continue;
    for (const std::uint64_t bits : ring.d) {
      const double size = std::fabs(decode(element, bits));
      EXPECT_GT(size, 1e-4) << row.key;
      EXPECT_LT(size, 1e8) << row.key;
    }
  }
}

/// Results of two threads after three iterations of eight copies.
std::vector<std::byte> results_of(const Instruction& row, const std::vector<std::byte>& operands) {
  std::vector<std::byte> results(operands.size() / kOperandBytes * kResultBytes);
  for (std::size_t t = 0; t < operands.size() / kOperandBytes; ++t) {
    Ring ring = ring_of(
        row, {operands.begin() + static_cast<std::ptrdiff_t>(t * kOperandBytes), operands.end()});
    for (int round = 0; round < 6; ++round) go_round(row, ring);
    for (std::size_t k = 0; k < kRing; ++k) {
      std::memcpy(results.data() + t * kResultBytes + kOperandStride * k, &ring.d[k],
                  operand_bytes(row.d));
    }
  }
  return results;
}

TEST(CheckResults, AcceptsWhatTheInstructionGivesAndNamesTheRegisterThatDiffers) {
  for (const Instruction& row : instructions()) {
    const auto operands = operand_data(row, Operands::random, 2, 5);
    if (row.step == nullptr) {
      EXPECT_EQ(check_results(row, 8, 3, operands, std::vector<std::byte>(2 * kResultBytes)),
                std::nullopt);
      continue;
    }
    auto results = results_of(row, operands);
    EXPECT_EQ(check_results(row, 8, 3, operands, results), std::nullopt);
    results[kResultBytes + 2 * kOperandStride] ^= std::byte{1};
    EXPECT_THAT(check_results(row, 8, 3, operands, results).value_or(""),
                HasSubstr("register 2 of thread 1 is"))
        << row.key;
  }
}

TEST(CheckResults, AnIntegerSumIsThatOfTheRing) {
  // d = (1, 2, 3, 4): 1+2, 2+3, 3+4, 4+3.
  std::vector<std::byte> operands(kOperandBytes);
  std::vector<std::byte> results(kResultBytes);
  constexpr std::array<std::uint32_t, kRing> kBefore{1, 2, 3, 4};
  constexpr std::array<std::uint32_t, kRing> kAfter{3, 5, 7, 7};
  for (std::size_t k = 0; k < kRing; ++k) {
    std::memcpy(operands.data() + kOperandStride * k, &kBefore[k], 4);
    std::memcpy(results.data() + kOperandStride * k, &kAfter[k], 4);
  }
  EXPECT_EQ(check_results(row_named("add.s32"), 4, 1, operands, results), std::nullopt);
  EXPECT_THAT(check_results(row_named("sub.s32"), 4, 1, operands, results).value_or(""),
              HasSubstr("register 0 of thread 0 is 0x3, not 0xffffffff"));
}

/// One step of a row on words.
std::uint32_t step_of(std::string_view key, std::uint64_t d, std::uint64_t n, std::uint64_t c,
                      std::uint64_t e = 0) {
  return static_cast<std::uint32_t>(row_named(key).step({d, n, n, c, e}));
}

TEST(Steps, ShiftAsPtxDoesByMoreThanAWord) {
  EXPECT_EQ(step_of("shl.b32", 5, 0, 4), 80U);
  EXPECT_EQ(step_of("shl.b32", 5, 0, 32), 0U);
  EXPECT_EQ(step_of("shr.u32", 0x80000000, 0, 99), 0U);
  EXPECT_EQ(step_of("shr.s32", 0x80000000, 0, 99), 0xFFFFFFFFU);
  EXPECT_EQ(step_of("shf.l.wrap.b32", 7, 0x12345678, 32), 0x12345678U);
}

TEST(Steps, DivideByNothingAndConvertWhatDoesNotFit) {
  EXPECT_EQ(step_of("div.u32", 0, 0, 7), 0xFFFFFFFFU);
  EXPECT_EQ(step_of("rem.u32", 7, 0, 100, 1), 3U);
  EXPECT_EQ(step_of("cvt.rni.s32.f32", 0, 0x7FC00000, 0), 0U);           // a NaN is 0
  EXPECT_EQ(step_of("cvt.rni.s32.f32", 0, 0x7F800000, 0), 0x4F000000U);  // infinity is 2^31
  EXPECT_EQ(step_of("cvt.rni.s32.f32", 0, 0xBE99999A, 0), 0U);           // -0.3 is 0, not -0
}

/// (1 + 2^-4)^2 lies between two numbers of bf16, of which the lower is even; what is above it by
/// 2^-70 is lost in a double, and rounds up nevertheless.
TEST(Steps, RoundAFusedBfloatOnce) {
  const std::uint64_t factor = encode(Element::bf16, 1 + 0x1p-4);
  const std::uint64_t tiny = encode(Element::bf16, 0x1p-70);
  EXPECT_EQ(step_of("fma.rn.bf16", 0, factor, factor, 0), encode(Element::bf16, 1 + 0x1p-3));
  EXPECT_EQ(step_of("fma.rn.bf16", 0, factor, factor, tiny),
            encode(Element::bf16, 1 + 0x1p-3 + 0x1p-7));
}

}  // namespace
}  // namespace truewatt::kernels
