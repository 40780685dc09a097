// ELF files made by hand: the machine code is found in one, and no damaged one is read beyond its
// end.

#include "truewatt/machine_code/cubin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/machine_code/opcode.hpp"
#include "truewatt/testing/made_cubin.hpp"

namespace truewatt::machine_code {
namespace {

using testing::HasSubstr;
using testing_support::add_word;
using testing_support::branch_back;
using testing_support::exit_word;
using testing_support::MadeCubin;

Result<Code> code_of(const std::string& bytes, std::string_view kernel = "k") {
  return kernel_code(std::as_bytes(std::span(bytes)), kernel);
}

Result<LoopBody> body_of(const MadeCubin& made) {
  const std::string bytes = made.bytes();
  return loop_body(std::as_bytes(std::span(bytes)), "k");
}

TEST(Cubin, GivesTheCodeOfTheKernelAndItsTarget) {
  MadeCubin made;
  made.words = {add_word(), exit_word()};
  const auto code = code_of(made.bytes());
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->sm, 90);
  ASSERT_EQ(code->words.size(), 2U);
  EXPECT_EQ(opcode_name(code->words[0], 90), "IADD3");
  EXPECT_TRUE(is_exit(code->words[1]));
}

TEST(Cubin, ReadsTheTargetWhereEarlierToolkitsWroteIt) {
  MadeCubin made;
  made.words = {exit_word()};
  made.later_abi = false;
  made.sm = 80;
  EXPECT_EQ(code_of(made.bytes())->sm, 80);
}

TEST(Cubin, SaysWhatIsMissing) {
  MadeCubin made;
  made.words = {exit_word()};
  EXPECT_THAT(code_of(made.bytes(), "other").error().message, HasSubstr("no kernel other"));
  made.sm = 61;
  EXPECT_THAT(code_of(made.bytes()).error().message, HasSubstr("sm_61"));
  EXPECT_THAT(code_of("").error().message, HasSubstr("not a 64-bit ELF"));
  EXPECT_THAT(code_of("\x7f"
                      "ELF, but text")
                  .error()
                  .message,
              HasSubstr("not a 64-bit ELF"));
}

TEST(Cubin, NamesItsKernels) {
  MadeCubin made;
  made.words = {add_word(), exit_word()};
  const std::string whole = made.bytes();
  EXPECT_THAT(kernel_names(std::as_bytes(std::span(whole))), testing::ElementsAre("k"));
  EXPECT_TRUE(kernel_names(std::as_bytes(std::span(std::string_view("no ELF file")))).empty());
}

TEST(Cubin, CutAnywhereIsAnErrorAndNeverReadBeyondTheEnd) {
  MadeCubin made;
  made.words = {add_word(), branch_back(90, 1), exit_word()};
  const std::string whole = made.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // On the heap and no longer than the cut, so that the sanitizer sees any byte beyond.
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto code = kernel_code(std::as_bytes(std::span(cut)), "k");
    EXPECT_FALSE(code) << size;
    EXPECT_LE(kernel_names(std::as_bytes(std::span(cut))).size(), 1U) << size;
  }
}

TEST(Cubin, NumbersOfAnySizeInItsTablesAreErrors) {
  MadeCubin made;
  made.words = {add_word(), exit_word()};
  const std::string whole = made.bytes();
  for (const std::size_t at :
       {std::size_t{0x28}, MadeCubin::kTextHeader + 0x18, MadeCubin::kTextHeader + 0x20,
        MadeCubin::kNamesHeader + 0x18, MadeCubin::kNamesHeader + 0x20}) {
    for (const std::uint64_t value : {std::uint64_t{1} << 32, ~std::uint64_t{0},
                                      ~std::uint64_t{0} - 15, std::uint64_t{1} << 63}) {
      std::string damaged = whole;
      std::memcpy(damaged.data() + at, &value, sizeof value);
      EXPECT_FALSE(code_of(damaged)) << at << " " << value;
    }
  }
}

TEST(LoopBody, IsWhatStandsBetweenTheTargetOfTheBranchAndTheBranch) {
  for (const int sm : {75, 80, 90, 120}) {
    MadeCubin made;
    made.sm = sm;
    made.words = {exit_word(8), add_word(), add_word(), branch_back(sm, 2), exit_word()};
    const auto body = body_of(made);
    ASSERT_TRUE(body) << body.error().message;
    EXPECT_EQ(body->instructions, 3U);
    EXPECT_EQ(body->opcodes.front().opcode, "IADD3");
    EXPECT_EQ(body->opcodes.front().count, 2);
  }
}

TEST(LoopBody, OfALoopOfMoreThan256InstructionsIsFoundToo) {
  for (const int sm : {75, 90}) {
    MadeCubin made;
    made.sm = sm;
    made.words.assign(1000, add_word());
    made.words.push_back(branch_back(sm, 1000));
    made.words.push_back(exit_word());
    EXPECT_EQ(body_of(made)->instructions, 1001U) << sm;
  }
}

/// The endless branch behind every kernel, and a slow path behind its end that goes back.
TEST(LoopBody, NoJumpFromBehindTheEndIsALoop) {
  MadeCubin made;
  made.words = {add_word(), add_word(),         branch_back(90, 1), exit_word(),
                add_word(), branch_back(90, 5), branch_back(90, 0)};
  EXPECT_EQ(body_of(made)->instructions, 2U);
  made.words = {add_word(), exit_word(), branch_back(90, 0)};
  EXPECT_THAT(body_of(made).error().message, HasSubstr("no loop"));
}

TEST(OpcodeCounts, AreOfTheKernelWithoutWhatFillsItUp) {
  const Word nop{0x0000000000007918, 0x000fc00000000000};
  const Code code{90, {add_word(), add_word(), exit_word(), branch_back(90, 0), nop, nop}};
  const auto counts = opcode_counts(code);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].opcode, "IADD3");
  EXPECT_EQ(counts[0].count, 2);
  EXPECT_EQ(counts[1].opcode, "EXIT");
}

TEST(Expansion, TakesTheLoopsOwnInstructionsAway) {
  const LoopBody few{90, 19, {{"FFMA", 16}, {"IADD3", 1}, {"ISETP", 1}, {"BRA", 1}}, false};
  const LoopBody many{90, 51, {{"FFMA", 48}, {"IADD3", 1}, {"ISETP", 1}, {"BRA", 1}}, false};
  const Expansion found = expansion(few, 16, many, 48);
  EXPECT_EQ(found.total, 1);
  ASSERT_EQ(found.per_instruction.size(), 1U);
  EXPECT_EQ(found.per_instruction[0].opcode, "FFMA");
  EXPECT_EQ(found.per_instruction[0].count, 1);
}

TEST(Opcode, WithoutANameIsANumber) {
  EXPECT_EQ(opcode_name({0x1ff, 0}, 90), "op_0x1ff");
  EXPECT_EQ(opcode_name({0x108, 0x3FULL << 10}, 90), "MUFU.0x3f");
}

TEST(Opcode, TellsTheUsesOfAMultiplyAddApart) {
  EXPECT_EQ(opcode_name({0x0000000407077c24, 0x001fe2000f8e0200}, 90), "IMAD");
  EXPECT_EQ(opcode_name({0x000000010b007824, 0x000fe200078e0200}, 90), "IMAD.IADD");
  EXPECT_EQ(opcode_name({0x0000000109097824, 0x000fe200000e0607}, 90), "IMAD.X");
  EXPECT_EQ(opcode_name({0x000000ffff077224, 0x000fe200078e0a07}, 90), "IMAD.MOV");
}

}  // namespace
}  // namespace truewatt::machine_code
