#include "truewatt/microbenchmark/spin.hpp"

#include <string>
#include <vector>

#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::microbenchmark {
namespace {

class Spin final : public kernels::Kernel {
 public:
  std::string_view name() const override { return "spinning loop"; }
  kernels::Grid grid() const override { return kernels::Grid::thread_per_multiprocessor; }

  Result<kernels::KernelSource> text(int sm) const override {
    kernels::KernelText made = kernels::spin_kernel({sm, false});
    return kernels::KernelSource{.ptx = std::move(made.ptx),
                                 .entry = std::string(kernels::kInstructionEntry),
                                 .operand_bytes = kernels::kOperandBytes,
                                 .result_bytes = kernels::kResultBytes,
                                 .threads_multiple = made.threads_multiple};
  }
  std::vector<std::byte> operands(std::size_t threads) const override {
    return std::vector<std::byte>(threads * kernels::kOperandBytes);
  }
  std::optional<std::string> check(std::uint32_t /*iterations*/,
                                   std::span<const std::byte> /*operands*/,
                                   std::span<const std::byte> /*results*/) const override {
    return std::nullopt;
  }
  /// Nothing that a board's table would have.
  std::vector<kernels::Executed> iteration() const override { return {}; }
};

}  // namespace

std::shared_ptr<const kernels::Kernel> make_spin() { return std::make_shared<const Spin>(); }

}  // namespace truewatt::microbenchmark
