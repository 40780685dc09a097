#include "truewatt/kernels/copy.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "truewatt/testing/ptxas.hpp"

namespace truewatt::kernels {
namespace {

constexpr std::uint32_t kCopying = 2048;
constexpr std::uint32_t kPasses = 3;
constexpr std::size_t kResult = 32;

/// What a device that copies leaves: the last piece of each of the first `results` threads.
std::vector<std::byte> results_of(const std::vector<std::byte>& operands, std::size_t results) {
  std::vector<std::byte> left(results * kResult);
  for (std::size_t t = 0; t < results; ++t) {
    const std::size_t piece = t + (std::size_t{kPasses} * kCopiesPerPass - 1) * kCopying;
    std::memcpy(left.data() + t * kResult, operands.data() + 16 * piece, 16);
    std::memcpy(left.data() + t * kResult + 16, &kCopying, sizeof kCopying);
  }
  return left;
}

TEST(Copy, IsCheckedPieceByPiece) {
  const auto kernel = copy();
  std::vector<std::byte> operands = kernel->operands(kCopying);
  EXPECT_EQ(operands.size(), kernel->text(90)->array_bytes);
  operands.resize(std::size_t{64} << 20U);  // what a check gets to see
  for (const std::size_t seen : {std::size_t{kCopying}, std::size_t{256}}) {
    std::vector<std::byte> left = results_of(operands, seen);
    EXPECT_EQ(kernel->check(kPasses, operands, left), std::nullopt);
    left[100 * kResult + 3] ^= std::byte{1};
    EXPECT_TRUE(kernel->check(kPasses, operands, left).value_or("").find("thread 100") !=
                std::string::npos);
  }
}

TEST(Copy, MovesAsMuchAsItReads) {
  const auto memory = copy()->memory();
  ASSERT_EQ(memory.size(), 2U);
  EXPECT_EQ(memory[0].operation, MemoryOperation::load);
  EXPECT_EQ(memory[1].operation, MemoryOperation::store);
  for (const MemoryAccess& one : memory) {
    EXPECT_EQ(32 * one.sectors, 16.0 * kCopiesPerPass);
    EXPECT_EQ(one.bytes, static_cast<double>(kCopiedBytes));
  }
}

TEST(Copy, Assembles) {
  const testing_support::Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
    const auto made = ptxas.assemble(copy()->text(75)->ptx, target, 3);
    EXPECT_FALSE(made.cubin.empty()) << target << ": " << made.complaint;
  }
}

}  // namespace
}  // namespace truewatt::kernels
