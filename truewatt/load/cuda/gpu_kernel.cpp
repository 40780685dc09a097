#include "truewatt/load/cuda/gpu_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace truewatt::load::cuda {
namespace {

constexpr std::size_t kLogBytes = 8192;
/// Of a kernel that fills the device: small enough that registers hardly ever leave a part unused.
constexpr unsigned kThreadsOfFullGrid = 256;

/// The driver's compiler options, which it takes as numbers in pointers.
class JitOptions {
 public:
  explicit JitOptions(kernels::Optimization optimization) : log_(kLogBytes, '\0') {
    add(kJitErrorLogBuffer, log_.data());
    // NOLINTBEGIN(performance-no-int-to-ptr)
    add(kJitErrorLogBufferSize, reinterpret_cast<void*>(kLogBytes - 1));
    const std::uintptr_t level = optimization == kernels::Optimization::O0 ? 0 : 3;
    add(kJitOptimizationLevel, reinterpret_cast<void*>(level));
    // NOLINTEND(performance-no-int-to-ptr)
  }

  unsigned count() const { return static_cast<unsigned>(names_.size()); }
  int* names() { return names_.data(); }
  void** values() { return values_.data(); }
  /// The compiler's log without the blank space at its end.
  std::string log() const {
    std::string text(log_.data());
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text.empty() ? "nothing" : text;
  }

 private:
  void add(int name, void* value) {
    names_.push_back(name);
    values_.push_back(value);
  }

  std::vector<char> log_;
  std::vector<int> names_;
  std::vector<void*> values_;
};

/// A linker's state, destroyed with the object.
class Linker {
 public:
  explicit Linker(const DriverApi& api) : api_(api) {}
  ~Linker() {
    if (state_ != nullptr) api_->link_destroy(state_);
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  Status compile(const std::string& ptx, JitOptions& options, std::vector<std::byte>& image) {
    Status status = api_->link_create(options.count(), options.names(), options.values(), &state_);
    if (status != kSuccess) return status;
    std::string text = ptx;
    status = api_->link_add_data(state_, kJitInputPtx, text.data(), text.size() + 1, "kernel.ptx",
                                 0, nullptr, nullptr);
    if (status != kSuccess) return status;
    void* code = nullptr;
    std::size_t bytes = 0;
    status = api_->link_complete(state_, &code, &bytes);
    if (status != kSuccess) return status;
    const auto* begin = static_cast<const std::byte*>(code);
    image.assign(begin, begin + bytes);
    return kSuccess;
  }

 private:
  const DriverApi& api_;
  LinkHandle state_ = nullptr;
};

Unexpected with_log(Unexpected failure, const JitOptions& options) {
  failure.error().message += fmt::format("; the driver's compiler said: {}", options.log());
  return failure;
}

}  // namespace

Result<std::unique_ptr<GpuKernel>> GpuKernel::create(std::shared_ptr<GpuContext> context,
                                                     const kernels::Kernel& kernel) {
  std::unique_ptr<GpuKernel> made(new GpuKernel(std::move(context), kernel));
  auto text = kernel.text(made->context_->device().compute_capability);
  if (!text) return Unexpected(text.error());
  made->text_ = std::move(*text);
  if (auto compiled = made->compile(); !compiled) return Unexpected(compiled.error());
  if (auto chosen = made->choose_grid(); !chosen) return Unexpected(chosen.error());
  if (auto allocated = made->allocate(); !allocated) return Unexpected(allocated.error());
  return made;
}

GpuKernel::~GpuKernel() {
  if (module_ == nullptr || !context_->use()) return;
  context_->api()->module_unload(module_);
}

Result<void> GpuKernel::compile() {
  const DriverApi& api = context_->api();
  auto compiled = api->link_create != nullptr ? link() : load(text_.ptx.c_str(), true);
  if (!compiled) return compiled;
  return api.check(api->module_function(&function_, module_, text_.entry.c_str()),
                   fmt::format("find the kernel {} in its module", text_.entry));
}

Result<void> GpuKernel::link() {
  const DriverApi& api = context_->api();
  JitOptions options(kernel_.optimization());
  Linker linker(api);
  const Status status = linker.compile(text_.ptx, options, image_);
  if (status != kSuccess) {
    return with_log(api.failure(status, fmt::format("compile the {}", kernel_.name())), options);
  }
  return load(image_.data(), false);
}

Result<void> GpuKernel::load(const void* image, bool is_ptx) {
  const DriverApi& api = context_->api();
  JitOptions options(kernel_.optimization());
  const Status loaded = api->module_load(&module_, image, is_ptx ? options.count() : 0,
                                         options.names(), options.values());
  if (loaded == kSuccess) return {};
  return with_log(api.failure(loaded, fmt::format("compile the {}", kernel_.name())), options);
}

Result<void> GpuKernel::choose_grid() {
  const CudaDevice& device = context_->device();
  const auto multiprocessors = static_cast<unsigned>(device.multiprocessors);
  const unsigned multiple = std::max(1U, text_.threads_multiple);
  const unsigned wanted = kernel_.threads_per_block();
  switch (kernel_.grid()) {
    case kernels::Grid::one_thread:
      threads_per_block_ = wanted > 0 ? wanted : multiple;
      return {};
    case kernels::Grid::thread_per_multiprocessor:
      threads_per_block_ = multiple;
      most_blocks_ = multiprocessors;
      return {};
    case kernels::Grid::block_per_multiprocessor:
      threads_per_block_ =
          wanted > 0 ? wanted : static_cast<unsigned>(device.max_threads_per_block);
      most_blocks_ = multiprocessors;
      return {};
    case kernels::Grid::full:
      break;
  }
  threads_per_block_ = wanted > 0 ? wanted : kThreadsOfFullGrid / multiple * multiple;
  int blocks = 1;
  const DriverApi& api = context_->api();
  if (api->occupancy != nullptr) {
    auto asked = api.check(
        api->occupancy(&blocks, function_, static_cast<int>(threads_per_block_), 0),
        fmt::format("ask how many blocks of the {} a multiprocessor holds", kernel_.name()));
    if (!asked) return asked;
  }
  most_blocks_ = multiprocessors * static_cast<unsigned>(std::max(1, blocks));
  return {};
}

Result<void> GpuKernel::allocate() {
  const std::string name =
      text_.array_bytes > 0
          ? kernel_.operands_name()
          : fmt::format("{} {} x {}", kernel_.operands_name(), threads(), text_.operand_bytes);
  const auto operands = context_->operands(name, [this] { return kernel_.operands(threads()); });
  if (!operands) return Unexpected(operands.error());
  const auto results = context_->allocate(threads() * text_.result_bytes);
  if (!results) return Unexpected(results.error());
  operands_ = *operands;
  results_ = *results;
  return {};
}

Result<void> GpuKernel::launch(unsigned blocks, std::uint32_t passes) {
  assert(blocks > 0 && blocks <= most_blocks());
  const DriverApi& api = context_->api();
  last_blocks_ = blocks;
  last_passes_ = passes;
  void* parameters[] = {&operands_, &results_, &passes};
  auto done = api.check(api->launch(function_, blocks, 1, 1, threads_per_block(), 1, 1, 0,
                                    context_->stream(), parameters, nullptr),
                        fmt::format("launch the {}", kernel_.name()));
  if (!done) return done;
  return context_->mark_end();
}

Result<void> GpuKernel::check_result(std::size_t threads) {
  const DriverApi& api = context_->api();
  auto done = context_->synchronize();
  if (!done) return done;
  threads = std::min(threads, std::size_t{last_blocks_} * threads_per_block_);
  std::vector<std::byte> operands(text_.array_bytes > 0 ? text_.array_bytes
                                                        : threads * text_.operand_bytes);
  std::vector<std::byte> results(threads * text_.result_bytes);
  done = api.check(api->copy_to_host(operands.data(), operands_, operands.size()),
                   "copy a kernel's operands");
  if (!done) return done;
  done = api.check(api->copy_to_host(results.data(), results_, results.size()),
                   "copy a kernel's result");
  if (!done) return done;
  const auto wrong = kernel_.check(last_passes_, operands, results);
  if (!wrong) return {};
  return Unexpected(Errc::device,
                    fmt::format("the {} on {} computed {}: the GPU calculates wrongly "
                                "(overclocked, faulty memory?); do not trust a measurement on it",
                                kernel_.name(), context_->device().uuid, *wrong));
}

}  // namespace truewatt::load::cuda
