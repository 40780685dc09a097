// Assembles the PTX with the toolkit's ptxas, where there is one, and counts what became of it in
// the machine code: a chain that the assembler folds away would be a load that draws nothing.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "truewatt/kernels/fma_chain.hpp"

namespace truewatt::kernels {
namespace {

namespace fs = std::filesystem;

/// Low nine bits of an instruction (Volta and newer, 16 bytes each).
constexpr unsigned kFfma = 0x023;
constexpr unsigned kBranch = 0x147;

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Section {
  std::string name;
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// The sections of a 64-bit little-endian ELF file.
std::vector<Section> sections_of(const std::string& elf) {
  const auto table = number_at<std::uint64_t>(elf, 0x28);
  const auto count = number_at<std::uint16_t>(elf, 0x3C);
  const auto header = [&](std::size_t index) { return table + 64 * index; };
  const auto names =
      number_at<std::uint64_t>(elf, header(number_at<std::uint16_t>(elf, 0x3E)) + 0x18);
  std::vector<Section> sections;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t name = names + number_at<std::uint32_t>(elf, header(i));
    if (name >= elf.size()) continue;
    sections.push_back({elf.c_str() + name, number_at<std::uint64_t>(elf, header(i) + 0x18),
                        number_at<std::uint64_t>(elf, header(i) + 0x20)});
  }
  return sections;
}

/// How often each opcode stands in the code of `kernel`.
std::map<unsigned, int> count_opcodes(const std::string& cubin, const std::string& kernel) {
  std::map<unsigned, int> counts;
  for (const Section& section : sections_of(cubin)) {
    if (section.name != ".text." + kernel) continue;
    for (std::size_t at = 0; at + 16 <= section.size; at += 16) {
      ++counts[number_at<std::uint16_t>(cubin, section.offset + at) & 0x1FFU];
    }
  }
  return counts;
}

class PtxAssembly : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::system("ptxas --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not in PATH";
    }
    folder_ = fs::path(testing::TempDir()) / ("truewatt_ptx_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// The cubin, or nothing with what ptxas said in `log`.
  std::string assemble(const std::string& ptx, const std::string& architecture, std::string* log) {
    const std::string base = (folder_ / "kernel").string();
    std::ofstream(base + ".ptx") << ptx;
    const std::string command = "ptxas -arch=" + architecture + " '" + base + ".ptx' -o '" + base +
                                ".cubin' >'" + base + ".log' 2>&1";
    const bool assembled = std::system(command.c_str()) == 0;
    *log = read(base + ".log");
    return assembled ? read(base + ".cubin") : "";
  }

 private:
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path folder_;
};

TEST_P(PtxAssembly, KeepsEveryMultiplyAddOfTheChainAndUnrollsNothing) {
  std::string log;
  const std::string cubin = assemble(fma_chain_ptx(), GetParam(), &log);
  ASSERT_FALSE(cubin.empty()) << log;
  auto counts = count_opcodes(cubin, std::string(kFmaChainEntry));
  EXPECT_EQ(counts[kFfma], 2 * kFmaChainStepsPerPass);
  // Past the loop, around it when there is no pass, and the trap loop behind the end.
  EXPECT_LE(counts[kBranch], 3);
}

INSTANTIATE_TEST_SUITE_P(TuringAmpereHopper, PtxAssembly,
                         testing::Values("sm_75", "sm_80", "sm_90"));

}  // namespace
}  // namespace truewatt::kernels
