#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"

namespace truewatt::machine_code {

/// One machine instruction of Volta or newer: 128 bits.
struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// The machine code of one kernel.
struct Code {
  int sm = 0;  ///< 90 for sm_90 and sm_90a
  std::vector<Word> words;
};

/// The section `.text.KERNEL` of a cubin. parse: not a little-endian ELF64 file for CUDA, a table
/// that reaches beyond the file, no such kernel, a GPU older than Volta.
Result<Code> kernel_code(std::span<const std::byte> cubin, std::string_view kernel);

/// Whether it begins as an ELF file for NVIDIA GPUs.
bool is_cubin(std::span<const std::byte> bytes);

/// The kernels of a cubin in the order of its sections; none where it is no such file.
std::vector<std::string> kernel_names(std::span<const std::byte> cubin);

}  // namespace truewatt::machine_code
