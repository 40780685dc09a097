#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "truewatt/base/units.hpp"
#include "truewatt/kernels/kernel.hpp"
#include "truewatt/load/cuda/gpu_context.hpp"

namespace truewatt::load::cuda {

/// A kernel compiled for one device, with its operands there: what a launch needs. One thread at a
/// time, the context's. `kernel` must outlive it.
class GpuKernel {
 public:
  /// Compiles through the driver's linker, so that the machine code that runs is known (image());
  /// a driver without one compiles as it loads. Errors carry the compiler's log when the PTX does
  /// not compile.
  static Result<std::unique_ptr<GpuKernel>> create(std::shared_ptr<GpuContext> context,
                                                   const kernels::Kernel& kernel);
  ~GpuKernel();
  GpuKernel(const GpuKernel&) = delete;
  GpuKernel& operator=(const GpuKernel&) = delete;

  GpuContext& context() { return *context_; }
  const kernels::Kernel& kernel() const { return kernel_; }
  const kernels::KernelSource& text() const { return text_; }
  /// Blocks that the device holds at a time, as the kernel's grid says.
  unsigned most_blocks() const { return most_blocks_; }
  unsigned threads_per_block() const { return threads_per_block_; }
  /// The machine code, an ELF file; empty where the driver does not give it.
  const std::vector<std::byte>& image() const { return image_; }

  /// Queues a launch behind those under way, and returns at once. At most two may be under way.
  Result<void> launch(unsigned blocks, std::uint32_t passes);
  /// Fails (Errc::device) unless the results of the latest launch, of `threads` at most, are what
  /// the kernel says they must be.
  Result<void> check_result(std::size_t threads);

 private:
  GpuKernel(std::shared_ptr<GpuContext> context, const kernels::Kernel& kernel)
      : context_(std::move(context)), kernel_(kernel) {}
  Result<void> compile();
  Result<void> link();
  Result<void> load(const void* image, bool is_ptx);
  Result<void> choose_grid();
  Result<void> allocate();
  std::size_t threads() const { return std::size_t{most_blocks_} * threads_per_block_; }

  std::shared_ptr<GpuContext> context_;
  const kernels::Kernel& kernel_;
  kernels::KernelSource text_;
  std::vector<std::byte> image_;
  ModuleHandle module_ = nullptr;
  FunctionHandle function_ = nullptr;
  DevicePointer operands_ = 0;
  DevicePointer results_ = 0;
  unsigned most_blocks_ = 1;
  unsigned threads_per_block_ = 1;
  unsigned last_blocks_ = 0;
  std::uint32_t last_passes_ = 0;
};

}  // namespace truewatt::load::cuda
