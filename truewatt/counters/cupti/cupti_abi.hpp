#pragma once

#include <cstddef>
#include <cstdint>

/// The part of CUPTI's binary interface that counting uses, declared here so that neither headers
/// nor libraries of CUPTI are needed to build. Every structure begins with its own size, by which
/// the library knows how much of it is there: one that grows keeps what stands before, so these
/// layouts hold for all libraries that have the range profiler (CUDA 12.6 and later). Checked with
/// the headers of CUDA 13.0, and of 12 as published, on x86-64.
namespace truewatt::counters::cupti {

using Status = int;  ///< CUptiResult
inline constexpr Status kSuccess = 0;

using Context = struct CudaContextTag*;      ///< CUcontext
using RangeObject = struct RangeObjectTag*;  ///< CUpti_RangeProfiler_Object*
using HostObject = struct HostObjectTag*;    ///< CUpti_Profiler_Host_Object*

/// Bytes of a structure up to the end of its last field: what CUPTI calls its size.
#define TRUEWATT_CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(type::last))

struct ProfilerInitialize {
  std::size_t size = 16;
  void* reserved = nullptr;
};
static_assert(TRUEWATT_CUPTI_SIZE(ProfilerInitialize, reserved) == 16);

struct DeviceChipName {
  std::size_t size = 32;
  void* reserved = nullptr;
  std::size_t device = 0;
  const char* chip = nullptr;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(DeviceChipName, chip) == 32);

/// CUpti_Profiler_Support_Level
enum class Support : int { unknown = 0, unsupported = 1, disabled = 2, supported = 3 };

struct DeviceSupported {
  std::size_t size = 52;
  void* reserved = nullptr;
  int device = 0;
  Support overall = Support::unknown;  ///< out, as all up to wsl
  Support architecture = Support::unknown;
  Support sli = Support::unknown;
  Support virtual_gpu = Support::unknown;
  Support confidential_computing = Support::unknown;
  Support mining_board = Support::unknown;
  Support wsl = Support::unknown;
  int api = 0;  ///< 0: range profiling
};
static_assert(TRUEWATT_CUPTI_SIZE(DeviceSupported, api) == 52);
static_assert(offsetof(DeviceSupported, overall) == 20);

struct CounterAvailability {
  std::size_t size = 40;
  void* reserved = nullptr;
  Context context = nullptr;
  std::size_t image_bytes = 0;    ///< in, out
  std::uint8_t* image = nullptr;  ///< null: only the size is asked for
};
static_assert(TRUEWATT_CUPTI_SIZE(CounterAvailability, image) == 40);

struct RangeEnable {
  std::size_t size = 32;
  void* reserved = nullptr;
  Context context = nullptr;
  RangeObject object = nullptr;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(RangeEnable, object) == 32);

/// Of cuptiRangeProfilerDisable, Start and PopRange.
struct RangeOnly {
  std::size_t size = 24;
  void* reserved = nullptr;
  RangeObject object = nullptr;
};
static_assert(TRUEWATT_CUPTI_SIZE(RangeOnly, object) == 24);

// CUpti_ProfilerRange, CUpti_ProfilerReplayMode
inline constexpr int kUserRange = 2;
inline constexpr int kUserReplay = 3;

struct RangeSetConfig {
  std::size_t size = 90;
  void* reserved = nullptr;
  RangeObject object = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t counter_data_bytes = 0;
  std::uint8_t* counter_data = nullptr;
  int range = kUserRange;
  int replay = kUserReplay;
  std::size_t most_ranges_per_pass = 1;
  std::uint16_t nesting_levels = 1;
  std::uint16_t least_nesting_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting_level = 1;
};
static_assert(TRUEWATT_CUPTI_SIZE(RangeSetConfig, target_nesting_level) == 90);
static_assert(offsetof(RangeSetConfig, range) == 56 && offsetof(RangeSetConfig, pass) == 80);

struct RangeStop {
  std::size_t size = 41;
  void* reserved = nullptr;
  RangeObject object = nullptr;
  std::size_t pass = 0;  ///< out, as all that follow
  std::size_t target_nesting_level = 0;
  std::uint8_t all_passes_submitted = 0;
};
static_assert(TRUEWATT_CUPTI_SIZE(RangeStop, all_passes_submitted) == 41);

struct RangePush {
  std::size_t size = 32;
  void* reserved = nullptr;
  RangeObject object = nullptr;
  const char* name = nullptr;
};
static_assert(TRUEWATT_CUPTI_SIZE(RangePush, name) == 32);

struct RangeDecode {
  std::size_t size = 32;
  void* reserved = nullptr;
  RangeObject object = nullptr;
  std::size_t dropped_ranges = 0;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(RangeDecode, dropped_ranges) == 32);

struct CounterDataSize {
  std::size_t size = 64;
  void* reserved = nullptr;
  RangeObject object = nullptr;
  const char** metrics = nullptr;
  std::size_t metric_count = 0;
  std::size_t most_ranges = 1;
  std::uint32_t most_tree_nodes = 1;
  std::size_t bytes = 0;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(CounterDataSize, bytes) == 64);

struct CounterDataInitialize {
  std::size_t size = 40;
  void* reserved = nullptr;
  RangeObject object = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};
static_assert(TRUEWATT_CUPTI_SIZE(CounterDataInitialize, data) == 40);

struct CounterDataInfo {
  std::size_t size = 40;
  void* reserved = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t ranges = 0;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(CounterDataInfo, ranges) == 40);

struct HostInitialize {
  std::size_t size = 48;
  void* reserved = nullptr;
  int profiler = 0;  ///< 0: range profiler
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  HostObject object = nullptr;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(HostInitialize, object) == 48);

struct HostOnly {
  std::size_t size = 24;
  void* reserved = nullptr;
  HostObject object = nullptr;
};
static_assert(TRUEWATT_CUPTI_SIZE(HostOnly, object) == 24);

struct HostBaseMetrics {
  std::size_t size = 48;
  void* reserved = nullptr;
  HostObject object = nullptr;
  int type = 0;                  ///< 0: counters
  const char** names = nullptr;  ///< out
  std::size_t count = 0;         ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(HostBaseMetrics, count) == 48);

struct HostAddMetrics {
  std::size_t size = 40;
  void* reserved = nullptr;
  HostObject object = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
};
static_assert(TRUEWATT_CUPTI_SIZE(HostAddMetrics, count) == 40);

struct HostConfigSize {
  std::size_t size = 32;
  void* reserved = nullptr;
  HostObject object = nullptr;
  std::size_t bytes = 0;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(HostConfigSize, bytes) == 32);

struct HostConfig {
  std::size_t size = 40;
  void* reserved = nullptr;
  HostObject object = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* config = nullptr;
};
static_assert(TRUEWATT_CUPTI_SIZE(HostConfig, config) == 40);

struct HostPasses {
  std::size_t size = 40;
  void* reserved = nullptr;
  std::size_t config_bytes = 0;
  std::uint8_t* config = nullptr;
  std::size_t passes = 0;  ///< out
};
static_assert(TRUEWATT_CUPTI_SIZE(HostPasses, passes) == 40);

struct HostEvaluate {
  std::size_t size = 72;
  void* reserved = nullptr;
  HostObject object = nullptr;
  const std::uint8_t* counter_data = nullptr;
  std::size_t counter_data_bytes = 0;
  std::size_t range = 0;
  const char** metrics = nullptr;
  std::size_t metric_count = 0;
  double* values = nullptr;
};
static_assert(TRUEWATT_CUPTI_SIZE(HostEvaluate, values) == 72);

#undef TRUEWATT_CUPTI_SIZE

/// An entry point that takes one structure. Its name is for dlsym and for messages.
template <class Parameters>
struct EntryPoint {
  const char* name = "";
  Status (*call)(Parameters*) = nullptr;
};

/// What counting calls. All are there since CUDA 12.6.
struct Functions {
  EntryPoint<ProfilerInitialize> initialize{"cuptiProfilerInitialize"};
  EntryPoint<DeviceChipName> chip_name{"cuptiDeviceGetChipName"};
  EntryPoint<DeviceSupported> device_supported{"cuptiProfilerDeviceSupported"};
  EntryPoint<CounterAvailability> availability{"cuptiProfilerGetCounterAvailability"};
  EntryPoint<RangeEnable> enable{"cuptiRangeProfilerEnable"};
  EntryPoint<RangeOnly> disable{"cuptiRangeProfilerDisable"};
  EntryPoint<RangeSetConfig> set_config{"cuptiRangeProfilerSetConfig"};
  EntryPoint<RangeOnly> start{"cuptiRangeProfilerStart"};
  EntryPoint<RangeStop> stop{"cuptiRangeProfilerStop"};
  EntryPoint<RangePush> push{"cuptiRangeProfilerPushRange"};
  EntryPoint<RangeOnly> pop{"cuptiRangeProfilerPopRange"};
  EntryPoint<RangeDecode> decode{"cuptiRangeProfilerDecodeData"};
  EntryPoint<CounterDataSize> counter_data_size{"cuptiRangeProfilerGetCounterDataSize"};
  EntryPoint<CounterDataInitialize> counter_data_initialize{
      "cuptiRangeProfilerCounterDataImageInitialize"};
  EntryPoint<CounterDataInfo> counter_data_info{"cuptiRangeProfilerGetCounterDataInfo"};
  EntryPoint<HostInitialize> host_initialize{"cuptiProfilerHostInitialize"};
  EntryPoint<HostOnly> host_deinitialize{"cuptiProfilerHostDeinitialize"};
  EntryPoint<HostBaseMetrics> host_base_metrics{"cuptiProfilerHostGetBaseMetrics"};
  EntryPoint<HostAddMetrics> host_add_metrics{"cuptiProfilerHostConfigAddMetrics"};
  EntryPoint<HostConfigSize> host_config_size{"cuptiProfilerHostGetConfigImageSize"};
  EntryPoint<HostConfig> host_config{"cuptiProfilerHostGetConfigImage"};
  EntryPoint<HostPasses> host_passes{"cuptiProfilerHostGetNumOfPasses"};
  EntryPoint<HostEvaluate> host_evaluate{"cuptiProfilerHostEvaluateToGpuValues"};
};

/// Calls `visit` with every entry point of `functions`.
template <class Visitor>
void for_each_entry_point(Functions& f, const Visitor& visit) {
  visit(f.initialize), visit(f.chip_name), visit(f.device_supported), visit(f.availability);
  visit(f.enable), visit(f.disable), visit(f.set_config), visit(f.start), visit(f.stop);
  visit(f.push), visit(f.pop), visit(f.decode), visit(f.counter_data_size);
  visit(f.counter_data_initialize), visit(f.counter_data_info), visit(f.host_initialize);
  visit(f.host_deinitialize), visit(f.host_base_metrics), visit(f.host_add_metrics);
  visit(f.host_config_size), visit(f.host_config), visit(f.host_passes), visit(f.host_evaluate);
}

}  // namespace truewatt::counters::cupti
