#pragma once

#include <cstddef>
#include <cstdint>

/// NVML's binary interface as its clients were compiled against it: the types of the exported
/// functions, 64-bit Linux. Declared here a second time and apart from the back end's own
/// declarations on purpose: the tests put one against the other.
namespace truewatt::nvml_sim {

enum Return : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kArgumentVersionMismatch = 25,
  kUnknown = 999,
};

enum ValueType : int { kUnsignedInt = 1, kUnsignedLongLong = 3 };

union Value {
  double d;
  unsigned int ui;
  unsigned long ul;
  unsigned long long ull;
  long long sll;
};

struct FieldValue {
  unsigned int field_id;
  unsigned int scope_id;
  long long timestamp;  // us since 1970
  long long latency_usec;
  ValueType value_type;
  Return nvml_return;
  Value value;
};
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, value) == 32);

struct Sample {
  unsigned long long timestamp;  // us since 1970
  Value value;
};
static_assert(sizeof(Sample) == 16);

/// The three generations of nvmlPciInfo_t share this beginning; v1 ends before the subsystem.
struct PciInfoBegin {
  char bus_id_legacy[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pci_device_id;
};
static_assert(sizeof(PciInfoBegin) == 32);

struct PciInfoV3 {
  PciInfoBegin begin;
  unsigned int pci_subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfoV3) == 68);

struct Utilization {
  unsigned int gpu;
  unsigned int memory;
};

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  unsigned int version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(MemoryV2) == 40);
inline constexpr unsigned int kMemoryV2Version = 0x02000028;

struct TemperatureV1 {
  unsigned int version;
  int sensor_type;
  int temperature;
};
static_assert(sizeof(TemperatureV1) == 12);
inline constexpr unsigned int kTemperatureV1Version = 0x0100000c;

struct Bar1Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

}  // namespace truewatt::nvml_sim
