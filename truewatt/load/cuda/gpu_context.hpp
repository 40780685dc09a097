#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/units.hpp"
#include "truewatt/load/cuda/device_search.hpp"
#include "truewatt/load/cuda/driver_api.hpp"

namespace truewatt::load::cuda {

/// One device's primary context with a stream and the operands of its kernels: what launches
/// share. It exists as long as the object. One thread at a time; a thread that has not created the
/// object calls use() first. Waiting threads sleep, they do not spin.
class GpuContext {
 public:
  static Result<std::shared_ptr<GpuContext>> create(std::shared_ptr<const DriverApi> api,
                                                    const CudaDevice& device);
  ~GpuContext();
  GpuContext(const GpuContext&) = delete;
  GpuContext& operator=(const GpuContext&) = delete;

  const DriverApi& api() const { return *api_; }
  const CudaDevice& device() const { return device_; }
  StreamHandle stream() const { return stream_; }
  /// Something the reader must know about the context, or nothing.
  const std::optional<std::string>& note() const { return note_; }

  /// Makes the context current on the calling thread.
  Result<void> use();
  /// Sets the zero of wait()'s times: now, when nothing is under way.
  Result<void> mark_start();
  /// Notes that a launch was queued. At most two may be under way.
  Result<void> mark_end();
  /// Sleeps until the launch with this number has ended; the first of the object has number 0. Only
  /// the last two launches can be waited for. Returns how long after the last mark_start it ended,
  /// by the GPU's clock (about a microsecond): the driver wakes a sleeper 0.05 to 0.5 ms late.
  Result<Seconds> wait(std::uint64_t launch_number);
  /// Number of launches so far; the last one has number launches() - 1.
  std::uint64_t launches() const { return launches_; }
  Result<void> synchronize();

  /// Device memory that holds what `make` returns, copied once for each name.
  Result<DevicePointer> operands(const std::string& name,
                                 const std::function<std::vector<std::byte>()>& make);
  /// Device memory of its own for somebody, freed with the context. At least one byte.
  Result<DevicePointer> allocate(std::size_t bytes);

 private:
  GpuContext(std::shared_ptr<const DriverApi> api, const CudaDevice& device)
      : api_(std::move(api)), device_(device) {}
  Result<void> make();
  Result<void> make_stream();

  std::shared_ptr<const DriverApi> api_;
  CudaDevice device_;
  ContextHandle context_ = nullptr;
  StreamHandle stream_ = nullptr;
  EventHandle start_ = nullptr;
  std::array<EventHandle, 2> ends_{};
  std::vector<DevicePointer> memory_;
  std::map<std::string, DevicePointer> operands_;
  std::uint64_t launches_ = 0;
  std::optional<std::string> note_;
};

}  // namespace truewatt::load::cuda
