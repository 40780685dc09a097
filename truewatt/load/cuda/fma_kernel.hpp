#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "truewatt/base/units.hpp"
#include "truewatt/load/cuda/device_search.hpp"
#include "truewatt/load/cuda/driver_api.hpp"

namespace truewatt::load::cuda {

/// The FMA chain compiled for one device, with its context, memory and stream: what a launch needs.
/// The primary context exists as long as the object. One thread at a time; a thread that has not
/// created the object calls use() first. Waiting threads sleep, they do not spin.
class FmaKernel {
 public:
  /// Errors carry the compiler's log when the PTX does not compile.
  static Result<std::unique_ptr<FmaKernel>> create(std::shared_ptr<const DriverApi> api,
                                                   const CudaDevice& device);
  ~FmaKernel();
  FmaKernel(const FmaKernel&) = delete;
  FmaKernel& operator=(const FmaKernel&) = delete;

  /// Makes the context current on the calling thread.
  Result<void> use();
  /// One block per SM.
  unsigned most_blocks() const { return static_cast<unsigned>(device_.multiprocessors); }
  unsigned threads_per_block() const {
    return static_cast<unsigned>(device_.max_threads_per_block);
  }

  /// Sets the zero of wait()'s times: now, when nothing is under way.
  Result<void> mark_start();
  /// Queues a launch behind those under way, and returns at once. At most two may be under way.
  Result<void> launch(unsigned blocks, std::uint32_t passes);
  /// Sleeps until the launch with this number has ended; the first of the object has number 0. Only
  /// the last two launches can be waited for. Returns how long after the last mark_start it ended,
  /// by the GPU's clock (about a microsecond): the driver wakes a sleeper 0.05 to 0.5 ms late.
  Result<Seconds> wait(std::uint64_t launch_number);
  /// Number of launches so far; the last one has number launches() - 1.
  std::uint64_t launches() const { return launches_; }

  /// Fails (Errc::device) unless every thread's float is what it was at the start.
  Result<void> check_result();
  /// Something the reader must know about the context, or nothing.
  const std::optional<std::string>& note() const { return note_; }

 private:
  FmaKernel(std::shared_ptr<const DriverApi> api, const CudaDevice& device)
      : api_(std::move(api)), device_(device) {}
  Result<void> make_context();
  Result<void> compile();
  Result<void> allocate();
  std::size_t values() const { return std::size_t{most_blocks()} * threads_per_block(); }

  std::shared_ptr<const DriverApi> api_;
  CudaDevice device_;
  ContextHandle context_ = nullptr;
  ModuleHandle module_ = nullptr;
  FunctionHandle function_ = nullptr;
  StreamHandle stream_ = nullptr;
  EventHandle start_ = nullptr;
  std::array<EventHandle, 2> ends_{};
  DevicePointer memory_ = 0;
  std::uint64_t launches_ = 0;
  std::optional<std::string> note_;
};

}  // namespace truewatt::load::cuda
