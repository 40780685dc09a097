#include "truewatt/kernels/fma_chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace truewatt::kernels {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(FmaChain, IsTheGoldenText) {
  std::ifstream file(TRUEWATT_PTX_GOLDEN "/fma_chain.ptx");
  ASSERT_TRUE(file) << "cannot open " TRUEWATT_PTX_GOLDEN "/fma_chain.ptx";
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(fma_chain_ptx(), golden.str());
}

TEST(FmaChain, HasTwoMultiplyAddsPerStepAndNothingUnrolled) {
  const std::string text = fma_chain_ptx();
  EXPECT_EQ(count(text, "fma.rn.f32"), 2U * kFmaChainStepsPerPass);
  EXPECT_EQ(count(text, ".pragma \"nounroll\""), 1U);
  EXPECT_EQ(count(text, "st.global.f32"), 1U);
  EXPECT_THAT(text, testing::HasSubstr(".visible .entry truewatt_fma_chain("));
}

TEST(FmaChain, HasAFloatPerThreadInAndOut) {
  const auto source = fma_chain().text(90);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->operand_bytes, sizeof(float));
  EXPECT_EQ(source->result_bytes, sizeof(float));
  EXPECT_EQ(source->array_bytes, 0U);
}

/// The claim that the load's correctness check rests on, with the same operations as the PTX.
TEST(FmaChain, StepGivesBackItsStartExactly) {
  float x = kFmaChainStart;
  for (int step = 0; step < 1000; ++step) {
    x = std::fma(x, 2.0F, 2.0F);
    EXPECT_EQ(x, 4.0F);
    x = std::fma(x, 0.5F, -1.0F);
    EXPECT_EQ(x, kFmaChainStart);
  }
}

}  // namespace
}  // namespace truewatt::kernels
