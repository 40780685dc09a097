#include "truewatt/kernels/memory/access_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "truewatt/kernels/memory/access_text.hpp"
#include "truewatt/kernels/random_bytes.hpp"

namespace truewatt::kernels {
namespace {

constexpr std::uint64_t kSector = 32;
constexpr std::size_t kResultBytes = 16;
constexpr std::size_t kWords = 4;

using Words = std::array<std::uint32_t, kWords>;

class Access final : public Kernel {
 public:
  explicit Access(const AccessPattern& pattern) : pattern_(pattern) {
    const bool global = pattern.space == MemorySpace::global;
    name_ = fmt::format("{}{} of {} bytes x {}{}{}, {}, {} threads, {} {} {}",
                        to_string(pattern.operation), pattern.without ? " left out" : "",
                        pattern.bytes, pattern.copies, pattern.dependent ? " in a chain" : "",
                        pattern.divide ? " and div.u32" : "", to_string(pattern.data),
                        pattern.threads, pattern.region,
                        !global            ? "bytes of shared memory"
                        : pattern.same     ? "bytes of one region for each block"
                        : pattern.of_block ? "bytes for each block"
                                           : "bytes for all",
                        pattern.through_l1 ? "through L1" : "past L1");
    if (pattern.stride != kSector) name_ += fmt::format(", stride {}", pattern.stride);
  }

  std::string_view name() const override { return name_; }
  Grid grid() const override { return pattern_.grid; }
  unsigned threads_per_block() const override { return pattern_.threads; }
  bool zeros() const override { return pattern_.data == Data::zeros; }

  Result<KernelSource> text(int /*sm*/) const override {
    return KernelSource{.ptx = access_text(pattern_),
                        .entry = std::string(kAccessEntry),
                        .array_bytes = array_of(pattern_) + kValuesBytes,
                        .result_bytes = kResultBytes};
  }

  std::vector<std::byte> operands(std::size_t /*threads*/) const override {
    std::vector<std::byte> bytes(array_of(pattern_) + kValuesBytes);
    if (!zeros()) fill_randomly(bytes);
    return bytes;
  }

  std::string operands_name() const override {
    return fmt::format("{} array of {} bytes{}", to_string(pattern_.data), array_of(pattern_),
                       pattern_.operation == MemoryOperation::store ? " to be written" : "");
  }

  std::optional<std::string> check(std::uint32_t iterations, std::span<const std::byte> operands,
                                   std::span<const std::byte> results) const override {
    for (std::size_t thread = 0; thread < results.size() / kResultBytes; ++thread) {
      const Words found = words_at(results, thread * kResultBytes);
      const auto right = expected(thread, found[2], iterations, operands);
      if (!right || (found[0] == (*right)[0] && found[1] == (*right)[1])) continue;
      return fmt::format("{:08x} {:08x} instead of {:08x} {:08x} in thread {}", found[0], found[1],
                         (*right)[0], (*right)[1], thread);
    }
    return std::nullopt;
  }

  std::vector<Executed> iteration() const override {
    const double copies = pattern_.copies;
    std::vector<Executed> all{{"add.u32", 1.0}, {"setp.ne.u32", 1.0}, {"selp.b32", 1.0}};
    if (pattern_.operation == MemoryOperation::load) {
      all.push_back({"lop3.b32", copies * logic_per_load(pattern_)});
    } else {
      all.push_back({"xor.b32", 1.0});
    }
    if (pattern_.divide) {
      all.push_back({"div.u32", copies});
      all.push_back({"xor.b32", 2 * copies});
    }
    return all;
  }

  std::vector<MemoryAccess> memory() const override {
    if (pattern_.without) return {};
    return {
        {.space = pattern_.space,
         .operation = pattern_.operation,
         .through_l1 = pattern_.through_l1,
         .accesses = static_cast<double>(pattern_.copies),
         .sectors = pattern_.copies * sectors_per_access(pattern_),
         .bytes = static_cast<double>(pattern_.region),
         .stride = static_cast<double>(std::max<std::uint64_t>(pattern_.stride, pattern_.bytes)),
         .of_block = pattern_.of_block,
         .same = pattern_.same,
         .dependent = pattern_.dependent}};
  }

 private:
  static Words words_at(std::span<const std::byte> bytes, std::size_t at) {
    Words words{};
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    return words;
  }

  /// Words of one access, at `at` of the array; an access of 8 bytes has two.
  Words loaded(std::span<const std::byte> array, std::uint64_t at) const {
    Words words = words_at(array, at);
    if (pattern_.bytes == 8) words[2] = words[3] = 0;
    return words;
  }

  /// The words of a thread's result, of `threads` in all; nothing where it read beyond what is
  /// known of the array.
  std::optional<Words> expected(std::size_t thread, std::uint32_t threads, std::uint32_t iterations,
                                std::span<const std::byte> array) const {
    // Blocks that share steps store over each other.
    const bool contended = !pattern_.of_block && pattern_.operation == MemoryOperation::store &&
                           threads / pattern_.threads > pattern_.region / step_bytes(pattern_);
    if (contended && !pattern_.without) return std::nullopt;
    if (pattern_.operation == MemoryOperation::store || pattern_.without || iterations == 0) {
      const Words value = words_at(array, thread % kValues * kValueBytes);
      if (pattern_.without) return without_loads(value, iterations);
      if (iterations == 0) return Words{};
      return Words{value[0] ^ value[1], pattern_.bytes == 8 ? 0U : value[2] ^ value[3]};
    }
    Words sum{};
    const std::uint64_t block = thread / pattern_.threads;
    const std::uint64_t blocks = threads / pattern_.threads;
    const std::uint64_t lane = thread % pattern_.threads * pattern_.bytes;
    const std::uint64_t step = step_bytes(pattern_);
    const std::uint64_t first = pattern_.of_block ? 0 : block % (pattern_.region / step) * step;
    const std::uint64_t advance = pattern_.of_block ? step : blocks * step;
    const std::uint64_t base =
        pattern_.of_block ? block % regions_of(pattern_) * pattern_.region : 0;
    std::uint64_t at = first;
    for (std::uint32_t i = 0; i < iterations; ++i) {
      for (unsigned k = 0; k < pattern_.copies; ++k) {
        const std::uint64_t place = kValuesBytes + base + at + k * row_bytes(pattern_) + lane;
        if (place + kValueBytes > array.size()) return std::nullopt;
        const Words words = loaded(array, place);
        if (pattern_.dependent) sum = {};
        sum[0] ^= words[0] ^ words[1];
        sum[1] ^= words[2] ^ words[3];
      }
      at += advance;
      if (at + step > pattern_.region) at = first;
    }
    return sum;
  }

  Words without_loads(const Words& value, std::uint32_t iterations) const {
    Words sum{};
    if (pattern_.operation == MemoryOperation::store) return sum;
    if (pattern_.dependent) return {value[0] ^ value[1], 0};
    for (std::uint64_t i = 0; i < std::uint64_t{iterations} * pattern_.copies; ++i) {
      sum[0] ^= sum[1] ^ value[0];
      if (pattern_.bytes == 16) sum[1] ^= sum[0] ^ value[1];
    }
    return sum;
  }

  AccessPattern pattern_;
  std::string name_;
};

}  // namespace

std::string_view to_string(Data data) { return data == Data::random ? "random" : "zeros"; }

std::uint64_t row_bytes(const AccessPattern& pattern) {
  return std::max<std::uint64_t>(pattern.stride, std::uint64_t{pattern.threads} * pattern.bytes);
}

std::uint64_t step_bytes(const AccessPattern& pattern) {
  return pattern.copies * row_bytes(pattern);
}

double sectors_per_access(const AccessPattern& pattern) {
  const double row = static_cast<double>(pattern.threads) * pattern.bytes;
  return std::max(row, static_cast<double>(kSector)) / (kSector * pattern.threads);
}

std::shared_ptr<const Kernel> make_access_kernel(const AccessPattern& pattern) {
  return std::make_shared<const Access>(pattern);
}

}  // namespace truewatt::kernels
