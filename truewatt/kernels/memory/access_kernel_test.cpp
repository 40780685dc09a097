#include "truewatt/kernels/memory/access_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "truewatt/kernels/memory/access_text.hpp"

namespace truewatt::kernels {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(AccessPattern, CountsRowsStepsAndSectors) {
  const AccessPattern wide{.copies = 4, .threads = 256};
  EXPECT_EQ(row_bytes(wide), 4096U);
  EXPECT_EQ(step_bytes(wide), 16384U);
  EXPECT_DOUBLE_EQ(sectors_per_access(wide), 0.5);
  // Four threads share a sector of 8-byte words; one alone takes all of it (Delestrac et al. 2024,
  // Fig. 3).
  EXPECT_DOUBLE_EQ(sectors_per_access({.bytes = 8, .threads = 4}), 0.25);
  EXPECT_DOUBLE_EQ(sectors_per_access({.bytes = 8, .threads = 1}), 1.0);
  EXPECT_EQ(row_bytes({.bytes = 8, .threads = 1, .stride = 128}), 128U);
}

TEST(AccessKernel, NamesWhatItDoesToMemory) {
  const auto kernel = make_access_kernel(
      {.through_l1 = false, .copies = 8, .of_block = false, .region = 1U << 25U});
  const auto memory = kernel->memory();
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_FALSE(memory.front().through_l1);
  EXPECT_DOUBLE_EQ(memory.front().sectors, 4.0);
  EXPECT_DOUBLE_EQ(memory.front().bytes, 33554432.0);
  EXPECT_THAT(kernel->name(), HasSubstr("past L1"));
  const std::string ptx = kernel->text(90)->ptx;
  EXPECT_THAT(ptx, HasSubstr("ld.global.cg.v4.u32"));
  EXPECT_THAT(ptx, Not(HasSubstr("st.global.cg")));
}

TEST(AccessKernel, ItsTwinIsTheSameLoopWithoutAccesses) {
  AccessPattern pattern{.copies = 8, .region = 32768};
  const auto with = make_access_kernel(pattern);
  pattern.without = true;
  const auto without = make_access_kernel(pattern);
  EXPECT_TRUE(without->memory().empty());
  ASSERT_EQ(with->iteration().size(), without->iteration().size());
  for (std::size_t i = 0; i < with->iteration().size(); ++i) {
    EXPECT_EQ(with->iteration()[i].instruction, without->iteration()[i].instruction);
    EXPECT_DOUBLE_EQ(with->iteration()[i].count, without->iteration()[i].count);
  }
}

/// The result that a thread of a grid of one block of `threads` would leave.
std::vector<std::byte> result_of(std::uint32_t low, std::uint32_t high, std::uint32_t threads) {
  const std::uint32_t words[] = {low, high, threads, 0};
  std::vector<std::byte> bytes(sizeof words);
  std::memcpy(bytes.data(), words, sizeof words);
  return bytes;
}

TEST(AccessKernel, SumsOfAllThatWasReadAreChecked) {
  const AccessPattern pattern{.copies = 2, .threads = 2, .region = 128};
  const auto kernel = make_access_kernel(pattern);
  auto operands = kernel->operands(0);
  ASSERT_EQ(operands.size(), kRegions * 128 + kValuesBytes);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, operands.data() + at, sizeof value);
    return value;
  };
  // Two iterations of two rows of 32 bytes; the walk's 128 bytes are two steps.
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  for (const std::size_t row :
       {kValuesBytes, kValuesBytes + 32, kValuesBytes + 64, kValuesBytes + 96}) {
    low ^= word(row) ^ word(row + 4);
    high ^= word(row + 8) ^ word(row + 12);
  }
  EXPECT_EQ(kernel->check(2, operands, result_of(low, high, 2)), std::nullopt);
  EXPECT_NE(kernel->check(2, operands, result_of(low ^ 1U, high, 2)), std::nullopt);
  EXPECT_NE(kernel->check(1, operands, result_of(low, high, 2)), std::nullopt);
}

TEST(AccessKernel, ZerosAreZeros) {
  const auto kernel = make_access_kernel({.data = Data::zeros, .copies = 2, .region = 8192});
  for (const std::byte byte : kernel->operands(0)) ASSERT_EQ(byte, std::byte{0});
  EXPECT_TRUE(kernel->zeros());
}

}  // namespace
}  // namespace truewatt::kernels
