#pragma once

#include <cstddef>

/// The part of the CUDA driver's binary interface that the loads use, declared here so that neither
/// headers nor libraries of CUDA are needed to build. Values and layouts are stable since CUDA 9.
namespace truewatt::load::cuda {

using Status = int;  ///< CUresult
using DeviceHandle = int;
using DevicePointer = unsigned long long;
using ContextHandle = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;
using LinkHandle = struct LinkTag*;

struct DriverUuid {
  unsigned char bytes[16];
};

inline constexpr Status kSuccess = 0;
inline constexpr Status kPrimaryContextActive = 708;

// CUdevice_attribute
inline constexpr int kMaxThreadsPerBlock = 1;
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
// CUctx_flags: a thread that waits sleeps.
inline constexpr unsigned kScheduleBlockingSync = 0x04;
// CUstream_flags, CUevent_flags
inline constexpr unsigned kStreamNonBlocking = 0x01;
inline constexpr unsigned kEventBlockingSync = 0x01;
// CUjit_option; values travel as integers cast to pointers.
inline constexpr int kJitErrorLogBuffer = 5;
inline constexpr int kJitErrorLogBufferSize = 6;
inline constexpr int kJitOptimizationLevel = 7;
// CUjitInputType
inline constexpr int kJitInputPtx = 1;

/// One pointer per entry point that the loads call. Later drivers keep the old versions of an entry
/// point, so these signatures stay right.
struct DriverFunctions {
  Status (*init)(unsigned flags) = nullptr;
  Status (*error_name)(Status status, const char** name) = nullptr;
  Status (*device_count)(int* count) = nullptr;
  Status (*device_get)(DeviceHandle* device, int ordinal) = nullptr;
  Status (*device_uuid)(DriverUuid* uuid, DeviceHandle device) = nullptr;
  Status (*device_pci_bus_id)(char* text, int length, DeviceHandle device) = nullptr;
  Status (*device_attribute)(int* value, int attribute, DeviceHandle device) = nullptr;
  Status (*primary_context_set_flags)(DeviceHandle device, unsigned flags) = nullptr;
  Status (*primary_context_retain)(ContextHandle* context, DeviceHandle device) = nullptr;
  Status (*primary_context_release)(DeviceHandle device) = nullptr;
  Status (*context_set_current)(ContextHandle context) = nullptr;
  Status (*module_load)(ModuleHandle* module, const void* image, unsigned count, int* options,
                        void** values) = nullptr;
  Status (*module_unload)(ModuleHandle module) = nullptr;
  Status (*module_function)(FunctionHandle* function, ModuleHandle module,
                            const char* name) = nullptr;
  Status (*memory_allocate)(DevicePointer* pointer, std::size_t bytes) = nullptr;
  Status (*memory_free)(DevicePointer pointer) = nullptr;
  Status (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes) = nullptr;
  Status (*copy_to_host)(void* to, DevicePointer from, std::size_t bytes) = nullptr;
  Status (*stream_create)(StreamHandle* stream, unsigned flags) = nullptr;
  Status (*stream_destroy)(StreamHandle stream) = nullptr;
  Status (*stream_synchronize)(StreamHandle stream) = nullptr;
  Status (*event_create)(EventHandle* event, unsigned flags) = nullptr;
  Status (*event_destroy)(EventHandle event) = nullptr;
  Status (*event_record)(EventHandle event, StreamHandle stream) = nullptr;
  Status (*event_synchronize)(EventHandle event) = nullptr;
  Status (*event_elapsed)(float* milliseconds, EventHandle begin, EventHandle end) = nullptr;
  Status (*launch)(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   StreamHandle stream, void** parameters, void** extra) = nullptr;
  /// The rest is null where the driver lacks it.
  Status (*link_create)(unsigned count, int* options, void** values, LinkHandle* state) = nullptr;
  Status (*link_add_data)(LinkHandle state, int type, void* data, std::size_t bytes,
                          const char* name, unsigned count, int* options, void** values) = nullptr;
  Status (*link_complete)(LinkHandle state, void** image, std::size_t* bytes) = nullptr;
  Status (*link_destroy)(LinkHandle state) = nullptr;
  Status (*occupancy)(int* blocks, FunctionHandle function, int threads_per_block,
                      std::size_t shared_bytes) = nullptr;
};

}  // namespace truewatt::load::cuda
