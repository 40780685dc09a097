#pragma once

#include <cstddef>
#include <cstdint>

#include "truewatt/base/source_kind.hpp"

/// The part of NVML's binary interface that this back end uses, declared here so that neither the
/// driver nor its headers are needed to build. Layouts are those of 64-bit Linux; the numbers were
/// checked against NVML 13.3. Units are NVML's: milliwatts, millijoules, microseconds. They do not
/// leave this folder.
namespace truewatt::sensor::nvml {

struct DeviceObject;
using Device = DeviceObject*;

/// What every call returns (nvmlReturn_t). Newer drivers may return values not listed here.
enum class Return : int {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  already_initialized = 5,
  not_found = 6,
  insufficient_size = 7,
  insufficient_power = 8,
  driver_not_loaded = 9,
  timeout = 10,
  irq_issue = 11,
  library_not_found = 12,
  function_not_found = 13,
  corrupted_inforom = 14,
  gpu_is_lost = 15,
  reset_required = 16,
  operating_system = 17,
  lib_rm_version_mismatch = 18,
  in_use = 19,
  memory = 20,
  no_data = 21,
  argument_version_mismatch = 25,
  not_ready = 27,
  gpu_not_found = 28,
  invalid_state = 29,
  unknown = 999,
};

/// How to read the union of a value; a field's type is not fixed and must be looked at.
enum class ValueType : std::int32_t {
  float64 = 0,
  unsigned_int = 1,
  unsigned_long = 2,
  unsigned_long_long = 3,
  signed_long_long = 4,
  signed_int = 5,
  unsigned_short = 6,
};

union Value {
  double float64;
  std::int32_t signed_int;
  std::uint32_t unsigned_int;
  unsigned long unsigned_long;
  std::uint64_t unsigned_long_long;
  std::int64_t signed_long_long;
  std::uint16_t unsigned_short;
};
static_assert(sizeof(Value) == 8);

/// Field ids are never renumbered. Those of sources stand in the table of their kinds: milliwatts,
/// or millijoules of an energy; `total_energy` is the GPU's energy under an older id.
enum class Field : std::uint32_t {
  total_energy = 83,
  power_average = *row_of(SourceKind::power_average).nvml_field,
  power_instant = *row_of(SourceKind::power_instant).nvml_field,
  energy = *row_of(SourceKind::energy_counter).nvml_field,
};

/// Of a kind whose row has a field.
constexpr Field field_of(SourceKind kind) { return Field{*row_of(kind).nvml_field}; }

enum class FieldScope : std::uint32_t { gpu = 0, module = 1, memory = 2 };

struct FieldValue {
  Field field;
  FieldScope scope;
  std::int64_t timestamp_us;  ///< since 1970; of the call, not of the value
  std::int64_t latency_us;
  ValueType type;
  Return result;
  Value value;
};
static_assert(sizeof(FieldValue) == 40);
static_assert(offsetof(FieldValue, timestamp_us) == 8);
static_assert(offsetof(FieldValue, latency_us) == 16);
static_assert(offsetof(FieldValue, type) == 24);
static_assert(offsetof(FieldValue, result) == 28);
static_assert(offsetof(FieldValue, value) == 32);

enum class SamplingType : std::int32_t { total_power = 0, module_power = 7 };

struct Sample {
  std::uint64_t timestamp_us;  ///< since 1970; 0 in a slot that was never filled
  Value value;
};
static_assert(sizeof(Sample) == 16);

struct PciInfo {
  char bus_id_legacy[16];
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t pci_device_id;
  std::uint32_t pci_subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);
static_assert(offsetof(PciInfo, domain) == 16);
static_assert(offsetof(PciInfo, bus_id) == 36);

struct Utilization {
  std::uint32_t gpu_percent;
  std::uint32_t memory_percent;
};
static_assert(sizeof(Utilization) == 8);

struct Memory {
  std::uint64_t total_bytes;
  std::uint64_t free_bytes;
  std::uint64_t used_bytes;
};
static_assert(sizeof(Memory) == 24);

/// Argument of nvmlDeviceGetTemperatureV, which replaces nvmlDeviceGetTemperature.
struct Temperature {
  std::uint32_t version = 0x0100000c;
  std::int32_t sensor = 0;  ///< 0: the GPU die
  std::int32_t celsius = 0;
};
static_assert(sizeof(Temperature) == 12);

inline constexpr std::int32_t kTemperatureGpu = 0;
inline constexpr std::int32_t kClockSm = 1;
inline constexpr std::int32_t kClockMemory = 2;
inline constexpr std::int32_t kPerformanceStateUnknown = 32;
inline constexpr std::size_t kNameSize = 96;
inline constexpr std::size_t kUuidSize = 96;
inline constexpr std::size_t kVersionSize = 80;

}  // namespace truewatt::sensor::nvml
