// Assembles the rows with the toolkit's ptxas, where there is one, and looks at what became of
// them.

#include "truewatt/machine_code/survival.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace truewatt::machine_code {
namespace {

namespace fs = std::filesystem;
using kernels::Instruction;
using kernels::Optimization;
using kernels::Target;

/// NVIDIA's assembler in PATH or where the toolkit is installed; empty without one.
std::string find_ptxas() {
  for (const char* path : {"ptxas", "/usr/local/cuda/bin/ptxas"}) {
    if (std::system((std::string(path) + " --version >/dev/null 2>&1").c_str()) == 0) return path;
  }
  return {};
}

class Survival : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    ptxas_ = find_ptxas();
    if (ptxas_.empty()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not installed";
    folder_ = fs::path(testing::TempDir()) / ("truewatt_sass_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// The loop of a kernel's machine code.
  LoopBody body_of(const std::string& ptx, Target target, Optimization optimization) {
    const std::string base = (folder_ / "kernel").string();
    std::ofstream(base + ".ptx") << ptx;
    const std::string command = ptxas_ + " -arch=" + to_string(target) +
                                (optimization == Optimization::O0 ? " -O0 '" : " -O3 '") + base +
                                ".ptx' -o '" + base + ".cubin' >'" + base + ".log' 2>&1";
    if (std::system(command.c_str()) != 0) ADD_FAILURE() << read(base + ".log");
    const std::string cubin = read(base + ".cubin");
    const auto body = loop_body(std::as_bytes(std::span(cubin)), kernels::kInstructionEntry);
    if (!body) ADD_FAILURE() << body.error().message;
    return body.value_or({});
  }

  Expansion expansion_of(const Instruction& row, Target target, Optimization optimization) {
    const auto few = kernels::instruction_kernel(row, target, 16, optimization);
    const auto many = kernels::instruction_kernel(row, target, 48, optimization);
    return expansion(body_of(few->ptx, target, optimization), 16,
                     body_of(many->ptx, target, optimization), 48);
  }

 private:
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::string ptxas_;
  fs::path folder_;
};

TEST_P(Survival, EveryRowRunsWhatItNames) {
  for (const Instruction& row : kernels::instructions()) {
    if (!exists_on(row, GetParam())) continue;
    for (const Optimization optimization : {Optimization::O0, Optimization::O3}) {
      const auto found = expansion_of(row, GetParam(), optimization);
      std::string text;
      for (const auto& one : found.per_instruction) {
        text += " " + one.opcode + "*" + std::to_string(one.count);
      }
      EXPECT_EQ(survived(row, optimization, GetParam().sm, found).value_or(""), "") << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Survival,
                         testing::Values(Target{75}, Target{80}, Target{90}, Target{120}));

}  // namespace
}  // namespace truewatt::machine_code
