#pragma once

#include <memory>
#include <optional>
#include <string>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/device.hpp"
#include "truewatt/load/cuda/driver_api.hpp"
#include "truewatt/load/cuda/launch_timing.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::load {

/// What a CUDA load may be told; the defaults are right outside tests.
struct CudaLoadOptions {
  std::string cuda_library = cuda::kDriverLibrary;  ///< the driver's library, a name or a path
  cuda::CalibrationOptions calibration;
  std::optional<MigMode> mig;                  ///< of the device; nothing: MIG mode is off
  std::optional<std::string> visible_devices;  ///< the process's CUDA_VISIBLE_DEVICES
};

/// Shortest stretch of work that can be met: a launch costs some tens of microseconds.
inline constexpr Seconds kShortestStretch{1e-4};

/// Blocks, one per SM, that make up `level` of `multiprocessors` SMs: none at 0, else at least one
/// (the paper's 1 %).
unsigned blocks_for_level(double level, int multiprocessors);

/// The FMA chain on a real GPU, played to a schedule's absolute grid of edges: an edge that comes
/// late is stamped as it was and the following ones keep to the grid. Neighbouring stretches of
/// different levels are some 0.1 ms apart. The thread sleeps between stretches, but for the last
/// 100 us before an edge, and while the GPU works. Stamps are good to the length of a launch call,
/// some 20 to 50 us.
///
/// `clock` must be the machine's and outlive the load; `device` is found among CUDA's by UUID, then
/// by PCI id. Errors: unavailable without a driver or the device. The context is made by prepare,
/// which takes about 3 s the first time; later calls only check the schedule.
///
/// On a GPU in MIG mode the load works on one instance, and levels are shares of its SMs: the one
/// that was chosen, else the one that CUDA_VISIBLE_DEVICES shows, else the first that the driver
/// lists. CUDA shows a process one instance, picked when the driver starts, so where the variable
/// is not set it is set here, for the rest of the process; where it is set it is never changed.
Result<std::unique_ptr<Load>> make_cuda_load(const DeviceIdentity& device, Clock& clock,
                                             const CudaLoadOptions& options = {});

}  // namespace truewatt::load
