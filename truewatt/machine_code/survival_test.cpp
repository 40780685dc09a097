// Every row in the machine code that NVIDIA's assembler makes of it, where there is one: at O3 and
// O0 for Hopper; survival_survey_test.cpp has all targets.

#include "truewatt/machine_code/survival.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/testing/assembled_rows.hpp"

namespace truewatt::machine_code {
namespace {

using kernels::Instruction;
using kernels::Optimization;
using kernels::Target;
using testing_support::assembled_copy;
using testing_support::list_of;
using testing_support::Ptxas;

const Instruction& row(std::string_view key) { return *kernels::find_instruction(key); }

TEST(Survival, CountsWhatShowsTheInstructionAndNamesWhatIsMissing) {
  const Expansion kept{{{"IADD3", 0.5}, {"IMAD.IADD", 0.5}}, 1};
  EXPECT_EQ(survived(row("add.s32"), Optimization::O3, 90, kept), std::nullopt);
  const Expansion merged{{{"LOP3", 0.5}}, 0.5};
  EXPECT_EQ(survived(row("and.b32"), Optimization::O3, 90, merged),
            "and.b32: 0.5 of 1 LOP3 per instruction are left");
  EXPECT_EQ(survived(row("and.b32"), Optimization::O3, 90, {}),
            "and.b32: 0 of 1 LOP3 per instruction are left");
}

TEST(Survival, AMoveIsNoAddition) {
  const Expansion moves{{{"IMAD.MOV", 1}}, 1};
  EXPECT_NE(survived(row("add.s32"), Optimization::O3, 90, moves), std::nullopt);
}

struct Case {
  Target target;
  Optimization optimization;
};

class AssembledRows : public testing::TestWithParam<Case> {};

TEST_P(AssembledRows, RunWhatTheyName) {
  const Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  const auto& [target, optimization] = GetParam();
  for (const Instruction& one : kernels::instructions()) {
    if (!exists_on(one, target)) continue;
    const Expansion found = assembled_copy(ptxas, one, target, optimization);
    const auto reason = survived(one, optimization, target.sm, found);
    // Hopper has no such instruction: ptxas converts to f16 and multiplies outside the loop.
    if (one.key == "mma.sync.m16n8k32.f32.e4m3" && target.sm == 90) {
      EXPECT_EQ(reason, "mma.sync.m16n8k32.f32.e4m3: 0 of 1 QMMA per instruction are left");
    } else {
      EXPECT_EQ(reason, std::nullopt) << list_of(found);
    }
    EXPECT_THAT(list_of(found), testing::Not(testing::HasSubstr("op_0x"))) << one.key;
  }
}

INSTANTIATE_TEST_SUITE_P(Hopper, AssembledRows,
                         testing::Values(Case{{90, true}, Optimization::O3},
                                         Case{{90, true}, Optimization::O0}));

/// Rows that the assembler must leave as one machine instruction, so that their energy is that of
/// one.
TEST(AssembledRow, StandsAloneWhereTheHardwareHasTheInstruction) {
  const Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  for (const char* key :
       {"add.s32", "mul.lo.u32", "and.b32", "xor.b32", "not.b32", "min.s32", "max.f32", "add.f32",
        "fma.rn.f32", "fma.rn.f64", "add.f16", "fma.rn.f16x2", "dp4a.s32.s32", "shfl.sync.bfly.b32",
        "mma.sync.m16n8k16.f32.f16", "ld.shared.u32", "ld.global.ca.u64"}) {
    EXPECT_EQ(assembled_copy(ptxas, row(key), {90}, Optimization::O3).total, 1) << key;
  }
}

TEST(AssembledKernels, EmptyLoopHasItsOwnFourInstructionsAndTheDoubledOneAsManyAgain) {
  const Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  const auto size = [&](kernels::LoopOverhead overhead) {
    const auto kernel = instruction_kernel(row("add.s32"), {90}, 0, Optimization::O3, overhead);
    const auto made = ptxas.assemble(kernel->ptx, "sm_90", 3);
    return loop_body(std::as_bytes(std::span(made.cubin)), kernels::kInstructionEntry)
        ->instructions;
  };
  EXPECT_EQ(size(kernels::LoopOverhead::normal), 4U);
  EXPECT_EQ(size(kernels::LoopOverhead::doubled), 8U);
}

TEST(AssembledKernels, SpinningIsAChainOfOneInstruction) {
  const Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  const auto kernel = kernels::spin_kernel({90});
  const auto made = ptxas.assemble(kernel.ptx, "sm_90", 3);
  const auto body = loop_body(std::as_bytes(std::span(made.cubin)), kernels::kInstructionEntry);
  ASSERT_TRUE(body) << made.complaint;
  EXPECT_EQ(body->opcodes.front().opcode, "IMAD.HI");
  EXPECT_EQ(body->opcodes.front().count, kernel.instructions_per_iteration);
  EXPECT_LE(body->instructions, kernel.instructions_per_iteration + 3U);
}

}  // namespace
}  // namespace truewatt::machine_code
