#include "truewatt/kernels/sleeping.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "truewatt/testing/ptxas.hpp"

namespace truewatt::kernels {
namespace {

constexpr std::size_t kThreads = 64;

std::vector<std::byte> after(std::uint32_t iterations) {
  std::vector<std::byte> bytes = make_sleeping()->operands(kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 4 * thread, sizeof count);
    count += iterations;
    std::memcpy(bytes.data() + 4 * thread, &count, sizeof count);
  }
  return bytes;
}

TEST(Sleeping, ThreadsThatSleptAsOftenAsAskedAreRightAndOthersAreNamed) {
  const auto kernel = make_sleeping();
  const std::vector<std::byte> operands = kernel->operands(kThreads);
  EXPECT_EQ(kernel->check(3, operands, after(3)), std::nullopt);
  std::vector<std::byte> results = after(3);
  results[std::size_t{4} * 17] ^= std::byte{1};
  const auto wrong = kernel->check(3, operands, results);
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("in thread 17"), std::string::npos) << *wrong;
  EXPECT_TRUE(kernel->check(3, operands, operands)) << "a launch that did nothing";
}

TEST(Sleeping, NeedsVolta) {
  const auto kernel = make_sleeping();
  const auto pascal = kernel->text(61);
  ASSERT_FALSE(pascal);
  EXPECT_EQ(pascal.error().code, Errc::unsupported);
  EXPECT_NE(pascal.error().message.find("6.1"), std::string::npos) << pascal.error().message;
  const auto volta = kernel->text(70);
  ASSERT_TRUE(volta);
  EXPECT_NE(volta->ptx.find("nanosleep.u32 100000;"), std::string::npos) << volta->ptx;
  EXPECT_EQ(volta->result_bytes, 4U);
}

TEST(Sleeping, Assembles) {
  const testing_support::Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  for (const char* target : {"sm_75", "sm_80", "sm_90"}) {
    const auto text = make_sleeping()->text(75);
    ASSERT_TRUE(text);
    const auto made = ptxas.assemble(text->ptx, target, 3);
    EXPECT_FALSE(made.cubin.empty()) << target << ": " << made.complaint;
  }
}

}  // namespace
}  // namespace truewatt::kernels
