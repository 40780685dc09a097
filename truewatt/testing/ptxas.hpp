#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/testing/test_folder.hpp"

namespace truewatt::testing_support {

/// A tool of NVIDIA's CUDA toolkit, in PATH or where the toolkit is installed; empty if it is
/// absent.
inline std::string cuda_tool(const std::string& name) {
  for (const std::string& path : {name, "/usr/local/cuda/bin/" + name}) {
    if (std::system((path + " --version >/dev/null 2>&1").c_str()) == 0) return path;
  }
  return {};
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// What ptxas made of a text: the file with the machine code, its bytes, or what it said instead.
struct Assembled {
  std::filesystem::path path;
  std::string cubin;
  std::string complaint;
};

/// NVIDIA's assembler. A test is skipped where `available()` is false.
class Ptxas {
 public:
  bool available() const { return !path_.empty(); }

  /// `target` as ptxas names it, "sm_90a"; `level` 0 or 3.
  Assembled assemble(const std::string& ptx, std::string_view target, int level) const {
    const auto text = folder_.path() / "kernel.ptx";
    const auto log = folder_.path() / "kernel.log";
    Assembled result{.path = folder_.path() / "kernel.cubin"};
    std::ofstream(text) << ptx;
    const std::string command =
        fmt::format("{} -arch={} -O{} '{}' -o '{}' >'{}' 2>&1", path_, target, level, text.string(),
                    result.path.string(), log.string());
    if (std::system(command.c_str()) == 0) {
      result.cubin = read_bytes(result.path);
    } else {
      result.complaint = read_bytes(log);
    }
    return result;
  }

 private:
  std::string path_ = cuda_tool("ptxas");
  TestFolder folder_;
};

}  // namespace truewatt::testing_support
