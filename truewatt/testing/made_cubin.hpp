#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "truewatt/machine_code/cubin.hpp"

namespace truewatt::testing_support {

/// An ELF file for NVIDIA GPUs with the machine code of one kernel, k: header, code, names, and a
/// table of three sections (none, names, code).
struct MadeCubin {
  static constexpr std::size_t kHeader = 64;
  static constexpr std::size_t kNamesHeader = kHeader + 64;
  static constexpr std::size_t kTextHeader = kHeader + std::size_t{2} * 64;
  static constexpr std::size_t kNames = kHeader + std::size_t{3} * 64;

  int sm = 90;
  bool later_abi = true;  ///< CUDA 13 writes the target into another byte
  std::vector<machine_code::Word> words;

  std::string bytes() const {
    const std::string names("\0.text.k\0", 9);
    std::string file(kNames, '\0');
    std::memcpy(file.data(),
                "\x7f"
                "ELF\x02\x01\x01",
                7);
    file[7] = later_abi ? '\x41' : '\x33';
    put(file, 0x12, std::uint16_t{190});
    put(file, 0x28, std::uint64_t{kHeader});
    put(file, 0x30, static_cast<std::uint32_t>(later_abi ? sm << 8 : sm));
    put(file, 0x3C, std::uint16_t{3});
    put(file, 0x3E, std::uint16_t{1});
    section(file, kNamesHeader, 0, kNames, names.size());
    section(file, kTextHeader, 1, kNames + names.size(), 16 * words.size());
    file += names;
    for (const machine_code::Word& word : words) {
      file.append(reinterpret_cast<const char*>(&word.low), 8);
      file.append(reinterpret_cast<const char*>(&word.high), 8);
    }
    return file;
  }

 private:
  template <class T>
  static void put(std::string& file, std::size_t at, T value) {
    std::memcpy(file.data() + at, &value, sizeof value);
  }
  static void section(std::string& file, std::size_t at, std::uint32_t name, std::uint64_t offset,
                      std::uint64_t size) {
    put(file, at, name);
    put(file, at + 0x18, offset);
    put(file, at + 0x20, size);
  }
};

inline machine_code::Word add_word() { return {0x0000000105057210, 0x000fca0007ffe0ff}; }

/// EXIT, by default of every thread; predicate 8 is "not P0".
inline machine_code::Word exit_word(std::uint64_t predicate = 7) {
  return {0x000000000000094d | predicate << 12, 0x000fea0003800000};
}

/// @P0 BRA to the instruction `count` before this one.
inline machine_code::Word branch_back(int sm, std::int64_t count) {
  const std::int64_t units = -4 * (count + 1);  // of 4 bytes, from the next instruction
  const auto field = static_cast<std::uint64_t>(sm >= 90 ? units >> 8 : units);
  const std::uint64_t low_bits = sm >= 90 ? static_cast<std::uint64_t>(units & 0xFF) << 16 : 0;
  return {0x0947 | low_bits | field << 34, 0x000fea0003800000 | (field >> 30 & 0x3FFFF)};
}

}  // namespace truewatt::testing_support
