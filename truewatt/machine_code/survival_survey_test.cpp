// Every row at O3 and O0 for one target of each generation but Hopper, which survival_test has, and
// NVIDIA's disassembler beside ours for every target where it is installed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "truewatt/machine_code/cubin.hpp"
#include "truewatt/machine_code/opcode.hpp"
#include "truewatt/machine_code/survival.hpp"
#include "truewatt/testing/assembled_rows.hpp"

namespace truewatt::machine_code {
namespace {

using kernels::Instruction;
using kernels::Optimization;
using kernels::Target;
using testing_support::assembled_copy;
using testing_support::list_of;
using testing_support::Ptxas;

/// 86, 103 and 121 have the instructions of 80, 100 and 120.
constexpr std::array kGenerations = {Target{75}, Target{80}, Target{89}, Target{100}, Target{120}};
constexpr std::array kTargets = {Target{75},  Target{80},       Target{86},
                                 Target{89},  Target{90, true}, Target{100},
                                 Target{103}, Target{120},      Target{121}};

/// Hopper and the Blackwell of data centres have no such instruction: ptxas converts to f16, and
/// multiplies outside the loop.
bool is_emulated(const Instruction& row, Target target) {
  return row.key == "mma.sync.m16n8k32.f32.e4m3" && target.sm >= 90 && target.sm < 120;
}

class Generations : public testing::TestWithParam<Target> {};

TEST_P(Generations, RunEveryRowThatTheyHave) {
  const Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
  for (const Instruction& row : kernels::instructions()) {
    if (!exists_on(row, GetParam())) continue;
    for (const Optimization optimization : {Optimization::O0, Optimization::O3}) {
      const Expansion found = assembled_copy(ptxas, row, GetParam(), optimization);
      EXPECT_EQ(survived(row, optimization, GetParam().sm, found).has_value(),
                is_emulated(row, GetParam()))
          << row.key << ": " << list_of(found);
      EXPECT_THAT(list_of(found), testing::Not(testing::HasSubstr("op_0x"))) << row.key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Generations, testing::ValuesIn(kGenerations),
                         [](const auto& one) { return to_string(one.param); });

class Targets : public testing::TestWithParam<Target> {};

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream text(name);
  for (std::string part; std::getline(text, part, '.');) parts.push_back(part);
  return parts;
}

/// Whether NVIDIA's name, "MUFU.RCP" or "IMAD.WIDE.U32", is ours with more modifiers. It has more
/// names for a multiply-add that moves.
bool agrees(const std::string& ours, const std::string& theirs) {
  const auto our_parts = parts_of(ours);
  const auto their_parts = parts_of(theirs);
  if (our_parts.front() != their_parts.front()) return false;
  if (ours == "IMAD.MOV") return true;
  const std::set<std::string> all(their_parts.begin(), their_parts.end());
  return std::all_of(our_parts.begin(), our_parts.end(),
                     [&](const std::string& part) { return all.count(part) == 1; });
}

/// The names in the output of nvdisasm: "/*0040*/ @!P0 IMAD.MOV.U32 R1, ... ;".
std::vector<std::string> disassembled(const std::string& nvdisasm, const std::string& cubin) {
  const std::string listing = cubin + ".txt";
  const std::string command = nvdisasm + " -c '" + cubin + "' >'" + listing + "' 2>/dev/null";
  if (std::system(command.c_str()) != 0) return {};
  std::vector<std::string> names;
  std::istringstream lines(testing_support::read_bytes(listing));
  for (std::string line; std::getline(lines, line);) {
    const auto address = line.find("/*");
    const auto end = line.find("*/");
    if (address == std::string::npos || end != address + 6) continue;
    std::istringstream words(line.substr(end + 2));
    std::string name;
    while (words >> name && (name.front() == '@' || name.front() == '{')) {
    }
    if (!name.empty() && name.back() == ';') name.pop_back();
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

TEST_P(Targets, HaveTheNamesOfNvidiasDisassembler) {
  const Ptxas ptxas;
  const std::string nvdisasm = testing_support::cuda_tool("nvdisasm");
  if (!ptxas.available() || nvdisasm.empty()) {
    GTEST_SKIP() << "ptxas and nvdisasm (NVIDIA's CUDA toolkit) are not both installed";
  }
  std::map<std::string, int> disagreements;
  for (const Instruction& row : kernels::instructions()) {
    if (!exists_on(row, GetParam())) continue;
    for (const int level : {0, 3}) {
      const auto kernel = instruction_kernel(row, GetParam(), kernels::kRing,
                                             level == 0 ? Optimization::O0 : Optimization::O3);
      const auto made = ptxas.assemble(kernel->ptx, to_string(GetParam()), level);
      const auto code =
          kernel_code(std::as_bytes(std::span(made.cubin)), kernels::kInstructionEntry);
      ASSERT_TRUE(code) << row.key << made.complaint;
      const auto theirs = disassembled(nvdisasm, made.path.string());
      ASSERT_EQ(theirs.size(), code->words.size()) << row.key;
      for (std::size_t i = 0; i < theirs.size(); ++i) {
        const std::string ours = opcode_name(code->words[i], code->sm);
        if (!agrees(ours, theirs[i])) ++disagreements[ours + " is " + theirs[i]];
      }
    }
  }
  for (const auto& [what, count] : disagreements)
    ADD_FAILURE() << what << ", " << count << " times";
}

INSTANTIATE_TEST_SUITE_P(All, Targets, testing::ValuesIn(kTargets),
                         [](const auto& one) { return to_string(one.param); });

/// "12: IMAD*3, ISETP*3, ...": all in a copy, and the six most frequent.
std::string cell_of(const Expansion& found) {
  constexpr std::size_t kShown = 6;
  std::string text = fmt::format("{:.3g}:", found.total);
  const std::size_t shown = std::min(kShown, found.per_instruction.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const OpcodeCount& one = found.per_instruction[i];
    text += fmt::format("{} {}", i == 0 ? "" : ",", one.opcode);
    if (one.count != 1) text += fmt::format(" x {:.2g}", one.count);
  }
  return text + (found.per_instruction.size() > kShown ? ", ..." : "");
}

/// The rows as docs/instructions.md has them.
std::string document_rows(const Ptxas& ptxas) {
  std::string text;
  std::string_view group;
  for (const Instruction& row : kernels::instructions()) {
    if (row.group != group) {
      group = row.group;
      text += fmt::format(
          "\n### {}\n\n| instruction | Table I | partner | sm_90a at O3 | at O0 | sm_120 at O3 |\n"
          "|---|---|---|---|---|---|\n",
          group);
    }
    const auto cell = [&](Target target, Optimization optimization) -> std::string {
      if (!exists_on(row, target)) return "";
      return cell_of(assembled_copy(ptxas, row, target, optimization));
    };
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.key, row.paper, row.partner,
                        cell({90, true}, Optimization::O3), cell({90, true}, Optimization::O0),
                        cell({120}, Optimization::O3));
  }
  return text;
}

/// With TRUEWATT_UPDATE_GOLDEN set, writes the rows behind the document's marker anew, up to the
/// next section.
TEST(InstructionsDocument, HasEveryRow) {
  constexpr std::string_view kMarker =
      "<!-- rows: written by InstructionsDocument.HasEveryRow -->\n";
  const std::string path = TRUEWATT_TEST_DATA "/../../docs/instructions.md";
  std::string document = testing_support::read_bytes(path);
  const std::size_t at = document.find(kMarker);
  ASSERT_NE(at, std::string::npos) << path;
  if (std::getenv("TRUEWATT_UPDATE_GOLDEN") != nullptr) {
    const Ptxas ptxas;
    ASSERT_TRUE(ptxas.available()) << "ptxas (NVIDIA's CUDA toolkit) is not installed";
    const std::size_t section = document.find("\n## ", at);
    const std::string behind = section == std::string::npos ? "" : document.substr(section);
    document = document.substr(0, at + kMarker.size()) + document_rows(ptxas) + behind;
    std::ofstream(path, std::ios::binary) << document;
  }
  for (const Instruction& row : kernels::instructions()) {
    EXPECT_THAT(document, testing::HasSubstr(fmt::format("| `{}` |", row.key)));
  }
}

}  // namespace
}  // namespace truewatt::machine_code
