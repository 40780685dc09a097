#include "truewatt/kernels/instructions/instruction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "truewatt/kernels/instructions/layout.hpp"
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

/// The operations of a row's text: "bfe", "xor".
std::set<std::string> operations_of(std::string_view text) {
  std::set<std::string> operations;
  while (!text.empty()) {
    std::string_view statement = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(statement.size() + 1, text.size()));
    for (;;) {
      statement.remove_prefix(std::min(statement.find_first_not_of(" {}"), statement.size()));
      const std::string_view word = statement.substr(0, statement.find(' '));
      const bool before =
          word.starts_with('@') || word.ends_with(':') || word == "$p" || word == "$q";
      if (!before) break;
      statement.remove_prefix(word.size());
    }
    const std::string_view operation = statement.substr(0, statement.find_first_of(". "));
    if (!operation.empty()) operations.emplace(operation);
  }
  return operations;
}

/// A difference is a sum with a sign; a move that splits a register in two is no instruction.
bool is_named(const Instruction& row, const std::string& operation) {
  const auto is_partner = [&](const std::string& name) {
    return row.partner.find(name + ".") != std::string_view::npos;
  };
  return operation == "mov" || row.key.starts_with(operation + ".") || is_partner(operation) ||
         (operation == "sub" && is_partner("add"));
}

TEST(InstructionTable, NamesWhatElseACopyRuns) {
  for (const Instruction& row : instructions()) {
    for (const std::string& operation : operations_of(row.text)) {
      EXPECT_TRUE(is_named(row, operation))
          << row.key << " also runs " << operation << ", its partner is `" << row.partner << "`";
    }
  }
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

TEST(MixedKernel, RunsARingOfEachPartInTurn) {
  const MixedPart parts[] = {{&the("fma.rn.f32"), 16}, {&the("add.s32"), 8}};
  const auto kernel = mixed_kernel(parts, {90}, Optimization::O3);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->instructions_per_iteration, 24U);
  std::string order;
  for (std::size_t at = 0; (at = kernel->ptx.find('\n', at)) != std::string::npos; ++at) {
    const std::string line = kernel->ptx.substr(at + 1, 16);
    if (line.find("fma.rn.f32") != std::string::npos) order += 'f';
    if (line.find("add.s32") != std::string::npos) order += 'a';
  }
  EXPECT_EQ(order, "ffffaaaaffffffffaaaaffff");
  // The second part's operands and results lie behind the first one's.
  EXPECT_THAT(kernel->ptx, HasSubstr("ld.global.b32 %p1d0_0, [%rd_in+192]"));
  EXPECT_THAT(kernel->ptx, HasSubstr("st.global.b32 [%rd_out+64], %p1d0_0"));
  EXPECT_THAT(kernel->ptx, HasSubstr("mul.wide.u32 %rd_offset, %r_index, 384"));
}

TEST(MixedKernel, RefusesWhatRunsAlone) {
  const MixedPart parts[] = {{&the("fma.rn.f32"), 16}, {&the("ld.shared.u32"), 8}};
  const auto kernel = mixed_kernel(parts, {90}, Optimization::O3);
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().message, HasSubstr("runs alone"));
  EXPECT_FALSE(mixed_kernel({}, {90}, Optimization::O3));
}

TEST(InstructionKernel, OfOneArchitectureRunsOnItAlone) {
  const Instruction& wgmma = the("wgmma.m64n128k16.f32.f16");
  EXPECT_TRUE(exists_on(wgmma, {90}));
  EXPECT_FALSE(exists_on(wgmma, {80}));
  EXPECT_FALSE(exists_on(wgmma, {100}));
  EXPECT_THAT(ptx_of(wgmma.key, 4, Optimization::O3), HasSubstr(".target sm_90a"));
  EXPECT_EQ(wgmma.fma_per_warp, 64 * 128 * 16 / 4);
}

}  // namespace
}  // namespace truewatt::kernels
