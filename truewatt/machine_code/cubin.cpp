#include "truewatt/machine_code/cubin.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace truewatt::machine_code {
namespace {

// ELF64, System V ABI, chapter 4: offsets within the header and within a section's header.
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kAbiAt = 7;
constexpr std::size_t kMachineAt = 0x12;
constexpr std::size_t kSectionsAt = 0x28;
constexpr std::size_t kFlagsAt = 0x30;
constexpr std::size_t kSectionCountAt = 0x3C;
constexpr std::size_t kNamesIndexAt = 0x3E;
constexpr std::size_t kSectionBytes = 64;
constexpr std::size_t kOffsetAt = 0x18;
constexpr std::size_t kSizeAt = 0x20;
constexpr std::uint16_t kCuda = 190;      // EM_CUDA
constexpr std::uint8_t kLaterAbi = 0x41;  // where the target stands in the second byte of the flags
constexpr std::size_t kWordBytes = 16;
constexpr int kVolta = 70;

using Bytes = std::span<const std::byte>;

template <class T>
std::optional<T> number_at(Bytes bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::optional<Bytes> section_bytes(Bytes elf, std::uint64_t header) {
  const auto offset = number_at<std::uint64_t>(elf, header + kOffsetAt);
  const auto size = number_at<std::uint64_t>(elf, header + kSizeAt);
  if (!offset || !size || *offset > elf.size() || *size > elf.size() - *offset) return std::nullopt;
  return elf.subspan(*offset, *size);
}

/// The zero-terminated name at an offset of the table of names; empty if it is not there.
std::string_view name_at(Bytes names, std::uint32_t at) {
  if (at >= names.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(names.data()) + at;
  const void* end = std::memchr(begin, 0, names.size() - at);
  if (end == nullptr) return {};
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

bool is_cuda_elf(Bytes elf) {
  constexpr std::string_view kMagic(
      "\x7f"
      "ELF\x02\x01",
      6);  // 64 bits, little-endian
  return elf.size() >= kHeaderBytes && std::memcmp(elf.data(), kMagic.data(), kMagic.size()) == 0 &&
         number_at<std::uint16_t>(elf, kMachineAt) == kCuda;
}

int target_of(Bytes elf) {
  const std::uint32_t flags = number_at<std::uint32_t>(elf, kFlagsAt).value_or(0);
  const bool later = static_cast<std::uint8_t>(elf[kAbiAt]) == kLaterAbi;
  return static_cast<int>((later ? flags >> 8 : flags) & 0xFF);
}

/// Calls `found` with the name and the header of every section, until it says that it has what it
/// wants. The sections' table names them by offsets in one of their own.
template <class Found>
void each_section(Bytes elf, Found found) {
  const auto table = number_at<std::uint64_t>(elf, kSectionsAt);
  const auto count = number_at<std::uint16_t>(elf, kSectionCountAt);
  const auto names_index = number_at<std::uint16_t>(elf, kNamesIndexAt);
  if (!table || !count || !names_index || *table > elf.size()) return;
  const auto names = section_bytes(elf, *table + kSectionBytes * *names_index);
  if (!names) return;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::uint64_t header = *table + kSectionBytes * i;
    const auto at = number_at<std::uint32_t>(elf, header);
    if (at && found(name_at(*names, *at), header)) return;
  }
}

std::optional<Bytes> find_section(Bytes elf, std::string_view name) {
  std::optional<Bytes> bytes;
  each_section(elf, [&](std::string_view one, std::uint64_t header) {
    if (one == name) bytes = section_bytes(elf, header);
    return one == name;
  });
  return bytes;
}

constexpr std::string_view kCodePrefix = ".text.";

}  // namespace

Result<Code> kernel_code(std::span<const std::byte> cubin, std::string_view kernel) {
  if (!is_cuda_elf(cubin)) {
    return Unexpected(Errc::parse, "the machine code is not a 64-bit ELF file for NVIDIA GPUs");
  }
  Code code{.sm = target_of(cubin)};
  if (code.sm < kVolta) {
    return Unexpected(Errc::parse,
                      fmt::format("the machine code is for sm_{}; only sm_70 and newer "
                                  "are decoded",
                                  code.sm));
  }
  const auto text = find_section(cubin, fmt::format("{}{}", kCodePrefix, kernel));
  if (!text) {
    return Unexpected(Errc::parse, fmt::format("the machine code has no kernel {}", kernel));
  }
  for (std::size_t at = 0; at + kWordBytes <= text->size(); at += kWordBytes) {
    code.words.push_back({number_at<std::uint64_t>(*text, at).value_or(0),
                          number_at<std::uint64_t>(*text, at + 8).value_or(0)});
  }
  return code;
}

bool is_cubin(std::span<const std::byte> bytes) { return is_cuda_elf(bytes); }

std::vector<std::string> kernel_names(std::span<const std::byte> cubin) {
  std::vector<std::string> names;
  if (!is_cuda_elf(cubin)) return names;
  each_section(cubin, [&](std::string_view name, std::uint64_t) {
    if (name.starts_with(kCodePrefix)) names.emplace_back(name.substr(kCodePrefix.size()));
    return false;
  });
  return names;
}

}  // namespace truewatt::machine_code
