// What NVIDIA's assembler makes of the walks: as many accesses in the loop as in the text.

#include <gtest/gtest.h>

#include <numeric>

#include "truewatt/kernels/memory/access_kernel.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/testing/ptxas.hpp"

namespace truewatt::memory {
namespace {

using kernels::AccessPattern;
using kernels::MemoryOperation;
using kernels::MemorySpace;

double count_of(const machine_code::LoopBody& loop, std::string_view opcode) {
  double count = 0;
  for (const auto& one : loop.opcodes) {
    if (std::string_view(one.opcode).starts_with(opcode)) count += one.count;
  }
  return count;
}

std::string list_of(const machine_code::LoopBody& loop) {
  std::string text;
  for (const auto& one : loop.opcodes) text += fmt::format("{} {} ", one.count, one.opcode);
  return text;
}

std::vector<AccessPattern> patterns() {
  std::vector<AccessPattern> all;
  for (const bool store : {false, true}) {
    for (const bool shared : {false, true}) {
      for (const unsigned bytes : {8U, 16U}) {
        AccessPattern pattern{.bytes = bytes, .copies = 8, .region = 32768};
        if (store) pattern.operation = MemoryOperation::store;
        if (shared) pattern.space = MemorySpace::shared;
        all.push_back(pattern);
        pattern.divide = true;
        all.push_back(pattern);
      }
    }
  }
  for (const unsigned threads : {1U, 4U, 1024U}) {
    all.push_back(
        {.bytes = 8, .copies = 4, .threads = threads, .region = 32768, .dependent = true});
  }
  all.push_back({.through_l1 = false, .of_block = false, .region = 1U << 25U});
  all.push_back(
      {.space = MemorySpace::shared, .bytes = 8, .copies = 4, .region = 32768, .dependent = true});
  return all;
}

class Assembled : public testing::TestWithParam<int> {};

TEST_P(Assembled, HasTheAccessesOfTheTextAndItsTwinNone) {
  const testing_support::Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  for (AccessPattern pattern : patterns()) {
    std::vector<machine_code::LoopBody> bodies;
    for (const bool without : {false, true}) {
      pattern.without = without;
      const auto made = ptxas.assemble(kernels::make_access_kernel(pattern)->text(GetParam())->ptx,
                                       fmt::format("sm_{}", GetParam()), 3);
      ASSERT_FALSE(made.cubin.empty()) << made.complaint;
      const auto loop = machine_code::loop_body(
          std::as_bytes(std::span(made.cubin.data(), made.cubin.size())), kernels::kAccessEntry);
      ASSERT_TRUE(loop) << loop.error().message;
      bodies.push_back(*loop);
    }
    const bool shared = pattern.space == MemorySpace::shared;
    const bool store = pattern.operation == MemoryOperation::store;
    const std::string_view opcode = shared ? (store ? "STS" : "LDS") : (store ? "STG" : "LDG");
    SCOPED_TRACE(kernels::make_access_kernel(pattern)->name());
    EXPECT_EQ(count_of(bodies[0], opcode), pattern.copies) << list_of(bodies[0]);
    EXPECT_EQ(count_of(bodies[1], opcode), 0) << list_of(bodies[1]);
    const double logic =
        store ? 0 : pattern.copies * (pattern.dependent || pattern.bytes == 16 ? 2 : 1);
    if (!pattern.divide) {
      EXPECT_NEAR(count_of(bodies[0], "LOP3"), logic, 1) << list_of(bodies[0]);
      EXPECT_NEAR(count_of(bodies[1], "LOP3"), logic, 1) << list_of(bodies[1]);
    }
    EXPECT_EQ(count_of(bodies[0], "LDL") + count_of(bodies[0], "STL"), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Assembled, testing::Values(75, 80, 90, 100));

}  // namespace
}  // namespace truewatt::memory
