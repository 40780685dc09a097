#include "truewatt/kernels/instructions/instruction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "truewatt/kernels/instructions/layout.hpp"
#include "truewatt/kernels/instructions/small_float.hpp"
#include "truewatt/testing/golden.hpp"

namespace truewatt::kernels {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Instruction& the(std::string_view key) { return *find_instruction(key); }

std::string ptx_of(std::string_view key, unsigned copies, Optimization optimization,
                   LoopOverhead overhead = LoopOverhead::normal) {
  const Target device{the(key).lowest};
  return instruction_kernel(the(key), device, copies, optimization, overhead)->ptx;
}

std::size_t bytes_of(const Registers& registers) {
  return register_bytes(registers.kind) * static_cast<std::size_t>(registers.count);
}

TEST(InstructionTable, HasOneCompleteRowForEachKey) {
  std::set<std::string_view> keys;
  for (const Instruction& row : instructions()) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    EXPECT_THAT(row.group, Not(IsEmpty())) << row.key;
    EXPECT_THAT(row.machine, Not(IsEmpty())) << row.key;
    EXPECT_NE(row.step == nullptr, row.unchecked.empty()) << row.key;
    EXPECT_LE(bytes_of(row.d), kOperandStride) << row.key;
    EXPECT_LE(bytes_of(row.c), kOperandStride) << row.key;
    // The last operand's words 2 and 3 are those that are never 0.
    EXPECT_LE(bytes_of(row.e), 8U) << row.key;
    EXPECT_GE(row.ptx_version, 64) << row.key;
    EXPECT_EQ(find_instruction(row.key), &row);
  }
  EXPECT_EQ(find_instruction("add.s33"), nullptr);
}

/// Table I of Arafa et al. 2020, its 29 rows by their group.
TEST(InstructionTable, HasEveryRowOfThePapersTable) {
  const std::set<std::pair<std::string_view, std::string_view>> paper{
      {"integer arithmetic", "add / sub / min / max"},
      {"integer arithmetic", "mul / mad"},
      {"integer arithmetic", "{s} div"},
      {"integer arithmetic", "{s} rem"},
      {"integer arithmetic", "abs"},
      {"integer arithmetic", "{u} div"},
      {"integer arithmetic", "{u} rem"},
      {"logic and shift", "and / or / not / xor"},
      {"logic and shift", "cnot"},
      {"logic and shift", "shl / shr"},
      {"single precision", "add / sub / min / max"},
      {"single precision", "mul / mad / fma"},
      {"single precision", "div"},
      {"double precision", "add / sub / min / max"},
      {"double precision", "div"},
      {"half precision", "add / sub / mul"},
      {"multi precision", "add.cc / addc / sub.cc"},
      {"multi precision", "subc"},
      {"multi precision", "mad.cc / madc"},
      {"special mathematical", "rcp"},
      {"special mathematical", "sqrt"},
      {"special mathematical", "approx.sqrt"},
      {"special mathematical", "rsqrt"},
      {"special mathematical", "sin / cos"},
      {"special mathematical", "lg2"},
      {"special mathematical", "ex2"},
      {"special mathematical", "copysign"},
      {"integer intrinsic", "mul24() / mad24()"},
      {"integer intrinsic", "sad()"},
      {"integer intrinsic", "popc()"},
      {"integer intrinsic", "clz()"},
      {"integer intrinsic", "bfind()"},
  };
  std::set<std::pair<std::string_view, std::string_view>> ours;
  std::size_t of_paper = 0;
  for (const Instruction& row : instructions()) {
    if (row.paper.empty()) continue;
    ours.insert({row.group, row.paper});
    ++of_paper;
  }
  EXPECT_EQ(ours, paper);
  EXPECT_GE(of_paper, 60U);
  EXPECT_GE(instructions().size() - of_paper, 40U);
}

TEST(InstructionKernel, IsTheGoldenText) {
  std::string text;
  for (const char* key : {"add.s32", "and.b32", "mma.sync.m16n8k16.f32.f16", "ld.shared.u32"}) {
    text += "// " + std::string(key) + ", O3\n" + ptx_of(key, 8, Optimization::O3) + "\n";
  }
  text += "// fma.rn.f32, O0, twice the loop's own instructions\n" +
          ptx_of("fma.rn.f32", 4, Optimization::O0, LoopOverhead::doubled);
  report::expect_golden("instructions.ptx", text);
}

TEST(InstructionKernel, LeavesNoPlaceholder) {
  for (const Instruction& row : instructions()) {
    for (const Optimization optimization : {Optimization::O0, Optimization::O3}) {
      const auto kernel = instruction_kernel(row, row.lowest, 8, optimization);
      EXPECT_THAT(kernel->ptx, Not(HasSubstr("$"))) << row.key;
      EXPECT_EQ(kernel->instructions_per_iteration, 8U);
      EXPECT_EQ(kernel->threads_multiple % 32, 0U);
    }
  }
}

TEST(InstructionKernel, RefusesWhatItCannotMake) {
  const auto copies = instruction_kernel(the("add.s32"), {90}, 6, Optimization::O3);
  EXPECT_EQ(copies.error().code, Errc::invalid_argument);
  EXPECT_THAT(copies.error().message, HasSubstr("multiple of 4"));
  const auto older = instruction_kernel(the("fma.rn.bf16x2"), {75}, 4, Optimization::O3);
  EXPECT_EQ(older.error().code, Errc::unsupported);
  EXPECT_THAT(older.error().message, HasSubstr("sm_80 or newer, the device is sm_75"));
}

TEST(InstructionKernel, OfOneArchitectureRunsOnItAlone) {
  const Instruction& wgmma = the("wgmma.m64n128k16.f32.f16");
  EXPECT_TRUE(exists_on(wgmma, {90}));
  EXPECT_FALSE(exists_on(wgmma, {80}));
  EXPECT_FALSE(exists_on(wgmma, {100}));
  EXPECT_THAT(ptx_of(wgmma.key, 4, Optimization::O3), HasSubstr(".target sm_90a"));
  EXPECT_EQ(wgmma.fma_per_warp, 64 * 128 * 16 / 4);
}

/// One word of a thread's operands.
template <class T>
T at(const std::vector<std::byte>& data, std::size_t thread, std::size_t offset) {
  T value{};
  std::memcpy(&value, data.data() + thread * kOperandBytes + offset, sizeof value);
  return value;
}

TEST(OperandData, IsThatOfItsSeed) {
  const auto data = operand_data(the("add.s32"), Operands::random, 8, 1);
  EXPECT_EQ(data.size(), 8 * kOperandBytes);
  EXPECT_EQ(data, operand_data(the("add.s32"), Operands::random, 8, 1));
  EXPECT_NE(data, operand_data(the("add.s32"), Operands::random, 8, 2));
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
  const auto sums = operand_data(the("add.f32"), Operands::random, 16, 1);
  const auto products = operand_data(the("mul.f64"), Operands::random, 16, 1);
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
    std::memcpy(&ring.d[k], data.data() + kOperandStride * k, bytes_of(row.d));
    std::memcpy(&ring.c[k], data.data() + kConstantsAt + kOperandStride * k, bytes_of(row.c));
    std::memcpy(&ring.e[k], data.data() + kMoreConstantsAt + kOperandStride * k, bytes_of(row.e));
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
                  bytes_of(row.d));
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
  EXPECT_EQ(check_results(the("add.s32"), 4, 1, operands, results), std::nullopt);
  EXPECT_THAT(check_results(the("sub.s32"), 4, 1, operands, results).value_or(""),
              HasSubstr("register 0 of thread 0 is 0x3, not 0xffffffff"));
}

/// One step of a row on words.
std::uint32_t step_of(std::string_view key, std::uint64_t d, std::uint64_t n, std::uint64_t c,
                      std::uint64_t e = 0) {
  return static_cast<std::uint32_t>(the(key).step({d, n, n, c, e}));
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

TEST(SmallFloat, GivesEveryNumberOfTheFormatBack) {
  for (const Element element : {Element::f16, Element::bf16, Element::e4m3, Element::e5m2}) {
    const std::uint64_t count = std::uint64_t{1} << format_of(element).bits;
    for (std::uint64_t bits = 0; bits < count; ++bits) {
      const double value = decode(element, bits);
      if (std::isnan(value)) continue;
      ASSERT_EQ(encode(element, value), bits) << static_cast<int>(element);
    }
  }
}

TEST(SmallFloat, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(encode(Element::f16, 1), 0x3C00U);
  EXPECT_EQ(encode(Element::f16, -2), 0xC000U);
  EXPECT_EQ(encode(Element::f16, 1 + 0x1p-11), 0x3C00U);
  EXPECT_EQ(encode(Element::f16, 1 + 0x3p-11), 0x3C02U);
  EXPECT_EQ(encode(Element::f16, 65504), 0x7BFFU);
  EXPECT_EQ(encode(Element::f16, 65520), 0x7C00U);
  EXPECT_EQ(encode(Element::f16, 0x1p-24), 1U);
  EXPECT_EQ(encode(Element::bf16, 1), 0x3F80U);
  EXPECT_EQ(encode(Element::e4m3, 448), 0x7EU);
  EXPECT_EQ(encode(Element::e4m3, 1000), 0x7EU);
  EXPECT_EQ(encode(Element::tf32, 1.5), 0x3FC00000U);
  EXPECT_EQ(encode(Element::f16, NAN), 0x7FFFU);
}

}  // namespace
}  // namespace truewatt::kernels
