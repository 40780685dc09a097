#include "truewatt/load/cuda/fma_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <vector>

#include "truewatt/kernels/fma_chain.hpp"

namespace truewatt::load::cuda {
namespace {

constexpr std::size_t kLogBytes = 8192;
constexpr std::string_view kRunning = "run the FMA kernel to its end";

/// The compiler's log without the blank space at its end.
std::string text_of(const std::vector<char>& log) {
  std::string text(log.data());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.empty() ? "nothing" : text;
}

}  // namespace

Result<std::unique_ptr<FmaKernel>> FmaKernel::create(std::shared_ptr<const DriverApi> api,
                                                     const CudaDevice& device) {
  std::unique_ptr<FmaKernel> kernel(new FmaKernel(std::move(api), device));
  if (auto made = kernel->make_context(); !made) return Unexpected(made.error());
  if (auto compiled = kernel->compile(); !compiled) return Unexpected(compiled.error());
  if (auto allocated = kernel->allocate(); !allocated) return Unexpected(allocated.error());
  return kernel;
}

FmaKernel::~FmaKernel() {
  if (context_ == nullptr) return;
  // Nobody is left to tell about a failure here, and the process may be ending because of one.
  const DriverApi& api = *api_;
  api->context_set_current(context_);
  for (EventHandle event : {start_, ends_[0], ends_[1]}) {
    if (event != nullptr) api->event_destroy(event);
  }
  if (stream_ != nullptr) api->stream_destroy(stream_);
  if (memory_ != 0) api->memory_free(memory_);
  if (module_ != nullptr) api->module_unload(module_);
  api->context_set_current(nullptr);
  api->primary_context_release(device_.handle);
}

Result<void> FmaKernel::make_context() {
  const DriverApi& api = *api_;
  const Status flags = api->primary_context_set_flags(device_.handle, kScheduleBlockingSync);
  if (flags == kPrimaryContextActive) {
    note_ = "another part of the process made the CUDA context first: waiting may take CPU time";
  } else if (flags != kSuccess) {
    return api.failure(flags, "set up the CUDA context");
  }
  ContextHandle context = nullptr;
  auto made = api.check(api->primary_context_retain(&context, device_.handle),
                        fmt::format("make a CUDA context on {}", device_.uuid));
  if (!made) return made;
  context_ = context;
  return use();
}

Result<void> FmaKernel::use() {
  return api_->check((*api_)->context_set_current(context_), "use the CUDA context");
}

Result<void> FmaKernel::compile() {
  const DriverApi& api = *api_;
  const std::string ptx = kernels::fma_chain_ptx();
  std::vector<char> log(kLogBytes, '\0');
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSize};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes numbers in pointers
  void* values[] = {log.data(), reinterpret_cast<void*>(kLogBytes - 1)};
  const Status loaded = api->module_load(&module_, ptx.c_str(), 2, options, values);
  if (loaded != kSuccess) {
    Unexpected failure = api.failure(loaded, "compile the FMA kernel");
    failure.error().message += fmt::format("; the driver's compiler said: {}", text_of(log));
    return failure;
  }
  const std::string entry(kernels::kFmaChainEntry);
  return api.check(api->module_function(&function_, module_, entry.c_str()),
                   "find the FMA kernel in its module");
}

Result<void> FmaKernel::allocate() {
  const DriverApi& api = *api_;
  const std::vector<float> start(values(), kernels::kFmaChainStart);
  const std::size_t bytes = start.size() * sizeof(float);
  auto done = api.check(api->memory_allocate(&memory_, bytes), "allocate GPU memory");
  if (!done) return done;
  done = api.check(api->copy_to_device(memory_, start.data(), bytes), "copy to the GPU");
  if (!done) return done;
  done = api.check(api->stream_create(&stream_, kStreamNonBlocking), "create a CUDA stream");
  for (EventHandle* event : {&start_, &ends_[0], &ends_[1]}) {
    if (!done) return done;
    done = api.check(api->event_create(event, kEventBlockingSync), "create a CUDA event");
  }
  return done;
}

Result<void> FmaKernel::mark_start() {
  return api_->check((*api_)->event_record(start_, stream_), "record the FMA kernel's start");
}

Result<void> FmaKernel::launch(unsigned blocks, std::uint32_t passes) {
  assert(blocks > 0 && blocks <= most_blocks());
  const DriverApi& api = *api_;
  void* parameters[] = {&memory_, &passes};
  auto done = api.check(api->launch(function_, blocks, 1, 1, threads_per_block(), 1, 1, 0, stream_,
                                    parameters, nullptr),
                        "launch the FMA kernel");
  if (!done) return done;
  return api.check(api->event_record(ends_[launches_++ % ends_.size()], stream_),
                   "record the FMA kernel's end");
}

Result<Seconds> FmaKernel::wait(std::uint64_t launch_number) {
  assert(launch_number < launches_ && launch_number + ends_.size() >= launches_);
  const DriverApi& api = *api_;
  EventHandle end = ends_[launch_number % ends_.size()];
  if (auto ended = api.check(api->event_synchronize(end), kRunning); !ended) {
    return Unexpected(ended.error());
  }
  float milliseconds = 0.0F;
  auto timed = api.check(api->event_elapsed(&milliseconds, start_, end), "time the FMA kernel");
  if (!timed) return Unexpected(timed.error());
  return Seconds(1e-3 * static_cast<double>(milliseconds));
}

Result<void> FmaKernel::check_result() {
  const DriverApi& api = *api_;
  auto waited = api.check(api->stream_synchronize(stream_), kRunning);
  if (!waited) return waited;
  std::vector<float> results(values());
  auto copied =
      api.check(api->copy_to_host(results.data(), memory_, results.size() * sizeof(float)),
                "copy the FMA kernel's result");
  if (!copied) return copied;
  const auto wrong = std::find_if(results.begin(), results.end(),
                                  [](float x) { return x != kernels::kFmaChainStart; });
  if (wrong == results.end()) return {};
  return Unexpected(
      Errc::device,
      fmt::format("the FMA kernel on {} computed {} instead of {} in thread {}: the GPU calculates "
                  "wrongly (overclocked, faulty memory?); do not trust a measurement on it",
                  device_.uuid, *wrong, kernels::kFmaChainStart, wrong - results.begin()));
}

}  // namespace truewatt::load::cuda
