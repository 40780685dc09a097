#include "truewatt/load/cuda/gpu_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace truewatt::load::cuda {
namespace {

constexpr std::string_view kRunning = "run a kernel to its end";

}  // namespace

Result<std::shared_ptr<GpuContext>> GpuContext::create(std::shared_ptr<const DriverApi> api,
                                                       const CudaDevice& device) {
  std::shared_ptr<GpuContext> context(new GpuContext(std::move(api), device));
  if (auto made = context->make(); !made) return Unexpected(made.error());
  if (auto made = context->make_stream(); !made) return Unexpected(made.error());
  return context;
}

GpuContext::~GpuContext() {
  if (context_ == nullptr) return;
  // Nobody is left to tell about a failure here, and the process may be ending because of one.
  const DriverApi& api = *api_;
  api->context_set_current(context_);
  for (EventHandle event : {start_, ends_[0], ends_[1]}) {
    if (event != nullptr) api->event_destroy(event);
  }
  if (stream_ != nullptr) api->stream_destroy(stream_);
  for (const DevicePointer pointer : memory_) api->memory_free(pointer);
  api->context_set_current(nullptr);
  api->primary_context_release(device_.handle);
}

Result<void> GpuContext::make() {
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

Result<void> GpuContext::make_stream() {
  const DriverApi& api = *api_;
  auto done = api.check(api->stream_create(&stream_, kStreamNonBlocking), "create a CUDA stream");
  for (EventHandle* event : {&start_, &ends_[0], &ends_[1]}) {
    if (!done) return done;
    done = api.check(api->event_create(event, kEventBlockingSync), "create a CUDA event");
  }
  return done;
}

Result<void> GpuContext::use() {
  return api_->check((*api_)->context_set_current(context_), "use the CUDA context");
}

Result<void> GpuContext::mark_start() {
  return api_->check((*api_)->event_record(start_, stream_), "record a kernel's start");
}

Result<void> GpuContext::mark_end() {
  return api_->check((*api_)->event_record(ends_[launches_++ % ends_.size()], stream_),
                     "record a kernel's end");
}

Result<Seconds> GpuContext::wait(std::uint64_t launch_number) {
  assert(launch_number < launches_ && launch_number + ends_.size() >= launches_);
  const DriverApi& api = *api_;
  EventHandle end = ends_[launch_number % ends_.size()];
  if (auto ended = api.check(api->event_synchronize(end), kRunning); !ended) {
    return Unexpected(ended.error());
  }
  float milliseconds = 0.0F;
  auto timed = api.check(api->event_elapsed(&milliseconds, start_, end), "time a kernel");
  if (!timed) return Unexpected(timed.error());
  return Seconds(1e-3 * static_cast<double>(milliseconds));
}

Result<void> GpuContext::synchronize() {
  return api_->check((*api_)->stream_synchronize(stream_), kRunning);
}

Result<DevicePointer> GpuContext::allocate(std::size_t bytes) {
  DevicePointer pointer = 0;
  auto done = api_->check((*api_)->memory_allocate(&pointer, std::max<std::size_t>(bytes, 1)),
                          "allocate GPU memory");
  if (!done) return Unexpected(done.error());
  memory_.push_back(pointer);
  return pointer;
}

Result<DevicePointer> GpuContext::operands(const std::string& name,
                                           const std::function<std::vector<std::byte>()>& make) {
  if (const auto found = operands_.find(name); found != operands_.end()) return found->second;
  const std::vector<std::byte> bytes = make();
  const auto pointer = allocate(bytes.size());
  if (!pointer) return pointer;
  auto copied =
      api_->check((*api_)->copy_to_device(*pointer, bytes.data(), bytes.size()), "copy to the GPU");
  if (!copied) return Unexpected(copied.error());
  operands_[name] = *pointer;
  return *pointer;
}

}  // namespace truewatt::load::cuda
