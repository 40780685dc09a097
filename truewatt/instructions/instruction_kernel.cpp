#include "truewatt/instructions/instruction_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace truewatt::instructions {
namespace {

/// Threads with operands of their own; those behind them have the same again.
constexpr std::size_t kDistinct = 4096;
constexpr std::uint64_t kSeed = 1;

class Loop final : public kernels::Kernel {
 public:
  explicit Loop(const LoopOf& loop) : loop_(loop) {
    name_ = fmt::format("{} x {}, {}, {} operands", loop.instruction->key, loop.copies,
                        kernels::to_string(loop.optimization), to_string(loop.operands));
    if (loop.grid == kernels::Grid::one_thread) name_ += ", one thread";
  }

  std::string_view name() const override { return name_; }
  kernels::Optimization optimization() const override { return loop_.optimization; }
  kernels::Grid grid() const override { return loop_.grid; }
  bool zeros() const override { return loop_.operands == kernels::Operands::zeros; }

  Result<kernels::KernelSource> text(int sm) const override {
    const kernels::Instruction& row = *loop_.instruction;
    auto made = kernels::instruction_kernel(row, {sm, row.lowest.arch_specific}, loop_.copies,
                                            loop_.optimization, loop_.overhead);
    if (!made) return Unexpected(made.error());
    return kernels::KernelSource{.ptx = std::move(made->ptx),
                                 .entry = std::string(kernels::kInstructionEntry),
                                 .operand_bytes = kernels::kOperandBytes,
                                 .result_bytes = kernels::kResultBytes,
                                 .threads_multiple = threads_multiple(made->threads_multiple)};
  }

  /// One thread is one, unless the instruction is a warp's.
  unsigned threads_multiple(unsigned of_row) const {
    const bool alone = loop_.grid == kernels::Grid::one_thread && !loop_.instruction->paper.empty();
    return alone ? 1 : of_row;
  }

  std::vector<std::byte> operands(std::size_t threads) const override {
    std::vector<std::byte> bytes = kernels::operand_data(*loop_.instruction, loop_.operands,
                                                         std::min(threads, kDistinct), kSeed);
    bytes.resize(threads * kernels::kOperandBytes);
    const std::size_t distinct = kDistinct * kernels::kOperandBytes;
    for (std::size_t at = distinct; at < bytes.size(); ++at) bytes[at] = bytes[at - distinct];
    return bytes;
  }

  std::string operands_name() const override {
    return fmt::format("{} {}", loop_.instruction->key, to_string(loop_.operands));
  }

  std::optional<std::string> check(std::uint32_t iterations, std::span<const std::byte> operands,
                                   std::span<const std::byte> results) const override {
    return kernels::check_results(*loop_.instruction, loop_.copies, iterations, operands, results);
  }

  std::vector<kernels::Executed> iteration() const override {
    std::vector<kernels::Executed> all;
    if (loop_.copies > 0) {
      const double copies = loop_.copies;
      all.push_back({std::string(loop_.instruction->key), copies});
      // A pair is one instruction to a device's table.
      if (kernels::find_instruction(loop_.instruction->partner) != nullptr) {
        all.push_back({std::string(loop_.instruction->partner), copies});
      }
    }
    if (loop_.overhead == kernels::LoopOverhead::doubled) all.push_back({"mad.lo.u32", 3.0});
    return all;
  }

 private:
  LoopOf loop_;
  std::string name_;
};

/// Threads' pieces of `bytes` each at `stride`, from `at` on, one behind the other.
std::vector<std::byte> gathered(std::span<const std::byte> all, std::size_t at, std::size_t bytes,
                                std::size_t stride) {
  std::vector<std::byte> pieces;
  for (; at + bytes <= all.size(); at += stride) {
    const auto piece = all.subspan(at, bytes);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  return pieces;
}

class Mixed final : public kernels::Kernel {
 public:
  Mixed(std::string name, std::vector<kernels::MixedPart> parts)
      : name_(std::move(name)), parts_(std::move(parts)) {}

  std::string_view name() const override { return name_; }

  Result<kernels::KernelSource> text(int sm) const override {
    auto made = kernels::mixed_kernel(parts_, {sm, false}, kernels::Optimization::O3);
    if (!made) return Unexpected(made.error());
    return kernels::KernelSource{.ptx = std::move(made->ptx),
                                 .entry = std::string(kernels::kInstructionEntry),
                                 .operand_bytes = parts_.size() * kernels::kOperandBytes,
                                 .result_bytes = parts_.size() * kernels::kResultBytes,
                                 .threads_multiple = made->threads_multiple};
  }

  std::vector<std::byte> operands(std::size_t threads) const override {
    const std::size_t stride = parts_.size() * kernels::kOperandBytes;
    std::vector<std::byte> bytes(threads * stride);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::vector<std::byte> of_part =
          kernels::operand_data(*parts_[i].instruction, kernels::Operands::random,
                                std::min(threads, kDistinct), kSeed + i);
      for (std::size_t thread = 0; thread < threads; ++thread) {
        std::memcpy(bytes.data() + thread * stride + i * kernels::kOperandBytes,
                    of_part.data() + thread % kDistinct * kernels::kOperandBytes,
                    kernels::kOperandBytes);
      }
    }
    return bytes;
  }

  std::optional<std::string> check(std::uint32_t iterations, std::span<const std::byte> operands,
                                   std::span<const std::byte> results) const override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto in = gathered(operands, i * kernels::kOperandBytes, kernels::kOperandBytes,
                               parts_.size() * kernels::kOperandBytes);
      const auto out = gathered(results, i * kernels::kResultBytes, kernels::kResultBytes,
                                parts_.size() * kernels::kResultBytes);
      auto wrong =
          kernels::check_results(*parts_[i].instruction, parts_[i].copies, iterations, in, out);
      if (wrong) return wrong;
    }
    return std::nullopt;
  }

  std::vector<kernels::Executed> iteration() const override {
    std::vector<kernels::Executed> all;
    for (const kernels::MixedPart& part : parts_) {
      all.push_back({std::string(part.instruction->key), static_cast<double>(part.copies)});
    }
    return all;
  }

 private:
  std::string name_;
  std::vector<kernels::MixedPart> parts_;
};

}  // namespace

std::shared_ptr<const kernels::Kernel> make_loop(const LoopOf& loop) {
  return std::make_shared<const Loop>(loop);
}

std::shared_ptr<const kernels::Kernel> make_mixed(std::string name,
                                                  std::vector<kernels::MixedPart> parts) {
  return std::make_shared<const Mixed>(std::move(name), std::move(parts));
}

}  // namespace truewatt::instructions
