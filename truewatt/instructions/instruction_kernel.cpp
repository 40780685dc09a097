#include "truewatt/instructions/instruction_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
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
                                 .threads_multiple = made->threads_multiple};
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

}  // namespace

std::shared_ptr<const kernels::Kernel> make_loop(const LoopOf& loop) {
  return std::make_shared<const Loop>(loop);
}

}  // namespace truewatt::instructions
