#include "truewatt/instructions/kernel_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "truewatt/instructions/table_file.hpp"
#include "truewatt/testing/made_cubin.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::instructions {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// Two additions, the kernel's end, a branch to itself that nothing reaches, and a NOP behind it.
std::string cubin() {
  const machine_code::Word add = testing_support::add_word();
  const machine_code::Word nop{0x0000000000007918, 0x000fc00000000000};
  return testing_support::MadeCubin{
      .words = {add, add, testing_support::exit_word(), testing_support::branch_back(90, 0), nop}}
      .bytes();
}

constexpr std::string_view kTwo =
    ".version 8.0\n.target sm_90\n.entry one() { add.s32 %r1, %r1, %r2; ret; }\n"
    ".entry two() { ret; }\n";

TEST(KernelFile, HasTheOpcodesOfACubinsOnlyKernel) {
  const auto kernel = kernel_of(cubin(), "", "k.cubin");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->name, "k");
  EXPECT_THAT(kernel->instructions, ElementsAre(Pair("IADD3", 2), Pair("EXIT", 1)));
}

TEST(KernelFile, AsksWhichOfSeveralKernels) {
  const auto several = kernel_of(kTwo, "", "k.ptx");
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, HasSubstr("--kernel: one, two"));
  const auto none = kernel_of(kTwo, "three", "k.ptx");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no kernel three"));
  const auto one = kernel_of(kTwo, "one", "k.ptx");
  ASSERT_TRUE(one);
  EXPECT_THAT(one->instructions, ElementsAre(Pair("add.s32", 1), Pair("ret", 1)));
}

TEST(KernelFile, SaysHowToGetOneFromWhatIsNone) {
  const auto kernel = kernel_of(
      "\x7f"
      "ELF of a program",
      "", "a.out");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Errc::parse);
  EXPECT_THAT(kernel.error().message, HasSubstr("cuobjdump -xelf all"));
}

TEST(KernelFile, CountsHaveNoLineThatIsNone) {
  const testing_support::TestFolder folder;
  const auto counts = [&folder](const std::string& text) {
    const auto path = folder.path() / "counts.csv";
    std::ofstream(path, std::ios::binary) << text;
    return read_counts(path);
  };
  EXPECT_EQ(counts("opcode,count\nFFMA,100\n")->size(), 1U);
  EXPECT_EQ(counts("FFMA,1e9\r\nDADD,2\r\n")->size(), 2U);
  for (const char* text : {"", "opcode,count\n", "FFMA,-5\n", "FFMA,nan\nDADD,1\n", "FFMA;100\n",
                           "FFMA,5x\nDADD,1\n", "FFMA\n", "FFMA,0\nDADD,0\n"}) {
    const auto none = counts(text);
    ASSERT_FALSE(none) << text;
    EXPECT_THAT(none.error().message, HasSubstr("NAME,COUNT")) << text;
  }
}

TEST(KernelFile, CountsNameWhatTheCodeHas) {
  const CountedKernel kernel{"k", {{"LDG", 2}, {"FFMA", 8}, {"EXIT", 1}}};
  const auto matched = match_counts(kernel, {{"LDG.E.64", 1e6}, {"FFMA", 1e9}});
  ASSERT_TRUE(matched) << matched.error().message;
  EXPECT_THAT(matched->counts, ElementsAre(Pair("LDG", 1e6), Pair("FFMA", 1e9)));
  EXPECT_THAT(matched->uncounted, ElementsAre("EXIT"));
  const auto other = match_counts(kernel, {{"HMMA", 1e6}});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("k has no HMMA"));
}

}  // namespace
}  // namespace truewatt::instructions
