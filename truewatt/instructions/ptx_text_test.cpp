#include "truewatt/instructions/ptx_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/kernels/fma_chain.hpp"

namespace truewatt::instructions {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(PtxText, CountsWhatStandsInEachKernel) {
  const auto kernels = kernels_of_ptx(R"(
.version 8.0
.target sm_90
.func (.param .b32 r) inner(.param .b32 x) { mul.f32 %f1, %f1, %f1; ret; }
.visible .entry first(
    .param .u64 a
)
.maxntid 256, 1, 1
{
    .reg .f32 %f<4>;   // add.f32 in a comment;
    .loc 1 2 3
    ld.global.v2.f32 {%f1, %f2}, [%rd1];
LOOP:
    @!%p1 fma.rn.f32 %f1, %f1, %f2, %f2;
    { fma.rn.f32 %f1, %f1, %f2, %f2; /* sub.f32 a; */ }
    @%p1 bra LOOP;
    ld.global.L1::evict_last.u32 %r1, [%rd1];
    ret;
}
.entry second() { exit; }
)");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_THAT(kernels[0].instructions,
              ElementsAre(Pair("ld.global.v2.f32", 1), Pair("fma.rn.f32", 2), Pair("bra", 1),
                          Pair("ld.global.L1::evict_last.u32", 1), Pair("ret", 1)));
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_THAT(kernels[1].instructions, ElementsAre(Pair("exit", 1)));
}

TEST(PtxText, ReadsTheTextOfItsOwnKernels) {
  const auto found = kernels_of_ptx(kernels::fma_chain_ptx());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, kernels::kFmaChainEntry);
  EXPECT_THAT(found[0].instructions,
              testing::Contains(Pair("fma.rn.f32", 2.0 * kernels::kFmaChainStepsPerPass)));
}

TEST(PtxText, WhatIsNoneHasNoKernels) {
  for (const char* text : {"", ".entry", ".entry x", "entry x { add.s32 a; }", "/*", "//"}) {
    EXPECT_TRUE(kernels_of_ptx(text).empty()) << text;
  }
}

}  // namespace
}  // namespace truewatt::instructions
