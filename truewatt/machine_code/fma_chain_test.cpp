// The load's own kernel in machine code: a chain that the assembler folds away would draw nothing.

#include "truewatt/kernels/fma_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/testing/ptxas.hpp"

namespace truewatt::machine_code {
namespace {

double count_of(const std::vector<OpcodeCount>& counts, std::string_view opcode) {
  const auto found = std::find_if(counts.begin(), counts.end(),
                                  [&](const OpcodeCount& one) { return one.opcode == opcode; });
  return found == counts.end() ? 0.0 : found->count;
}

class AssembledFmaChain : public testing::TestWithParam<const char*> {};

TEST_P(AssembledFmaChain, KeepsEveryMultiplyAddAndUnrollsNothing) {
  const testing_support::Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not there";
  const auto made = ptxas.assemble(kernels::fma_chain_ptx(), GetParam(), 3);
  ASSERT_FALSE(made.cubin.empty()) << made.complaint;
  const auto code = kernel_code(std::as_bytes(std::span(made.cubin)), kernels::kFmaChainEntry);
  ASSERT_TRUE(code) << code.error().message;
  const auto counts = opcode_counts(*code);
  EXPECT_EQ(count_of(counts, "FFMA"), 2 * kernels::kFmaChainStepsPerPass);
  // Past the loop, and around it when there is no pass.
  EXPECT_LE(count_of(counts, "BRA"), 2);
}

INSTANTIATE_TEST_SUITE_P(TuringToBlackwell, AssembledFmaChain,
                         testing::Values("sm_75", "sm_80", "sm_90", "sm_120"));

}  // namespace
}  // namespace truewatt::machine_code
