// A CUDA driver for tests: this library stands for libcuda.so.1. Two devices; a kernel is an amount
// of time on CLOCK_MONOTONIC, asynchronous like the real one, and its result is computed by the
// host. What should go wrong is read from the environment at every cuInit:
//   TRUEWATT_FAKE_CUDA_FAULT  init | devices | jit | launch | run | result
//   TRUEWATT_FAKE_CUDA_SLOW   factor on the time of kernels from 0.4 s of work on (a throttled
//                             clock); 1 by default
//   TRUEWATT_FAKE_CUDA_MIG    set: device 0 is in MIG mode, and these are its instances ("MIG-...",
//                             commas between them). As the real driver, it then shows one device:
//                             the instance that CUDA_VISIBLE_DEVICES names, else the first; none
//                             where there is none or the variable names another
//   TRUEWATT_FAKE_CUDA_BUS    PCI bus of device 0, hexadecimal; 1a by default

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>
#include <string>
#include <vector>

#include "truewatt/kernels/fma_chain.hpp"
#include "truewatt/load/cuda/driver_abi.hpp"

#define FAKE_CUDA extern "C" __attribute__((visibility("default"))) Status

namespace truewatt::load::cuda {
struct ContextTag {
  bool retained = false;
};
struct ModuleTag {};
struct FunctionTag {};
struct StreamTag {
  std::int64_t busy_until_ns = 0;
};
struct EventTag {
  std::int64_t done_ns = 0;
};
struct LinkTag {
  std::string ptx;
};
}  // namespace truewatt::load::cuda

namespace {

using namespace truewatt::load::cuda;

constexpr int kDevices = 2;
constexpr int kFirstHandle = 10;
constexpr int kMultiprocessors = 4;
constexpr int kThreads = 256;
constexpr std::int64_t kLaunchLatencyNs = 20'000;
constexpr std::int64_t kGapNs = 1'000;
constexpr double kPassNs = 150.0;
constexpr double kThrottledAfterNs = 4e8;

constexpr Status kInvalidValue = 1;
constexpr Status kNotInitialized = 3;
constexpr Status kNoDevice = 100;
constexpr Status kInvalidPtx = 218;
constexpr Status kNotFound = 500;
constexpr Status kLaunchFailed = 719;
constexpr Status kOutOfResources = 701;

struct Driver {
  bool initialized = false;
  bool mig = false;
  std::string instance;  // that is shown; empty: none
  std::string fault;
  double slow = 1.0;
  double worked_ns = 0.0;
  ContextTag context;
  bool current = false;
  ModuleTag module;
  FunctionTag function;
};

Driver& driver() {
  static Driver instance;
  return instance;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// The instance of `list` that a process with this CUDA_VISIBLE_DEVICES sees; empty: none.
std::string shown_instance(const std::string& list) {
  const std::string visible = environment("CUDA_VISIBLE_DEVICES");
  std::istringstream instances(list);
  for (std::string instance; std::getline(instances, instance, ',');) {
    if (visible.rfind("MIG-", 0) != 0 || visible == instance) return instance;
  }
  return {};
}

/// The bytes of "MIG-0a0b0c0d-...".
DriverUuid uuid_of(const std::string& instance) {
  DriverUuid uuid{};
  std::string digits;
  for (const char c : instance.substr(instance.find('-') + 1)) {
    if (c != '-') digits += c;
  }
  for (std::size_t i = 0; i < 16 && 2 * i + 1 < digits.size(); ++i) {
    uuid.bytes[i] =
        static_cast<unsigned char>(std::strtoul(digits.substr(2 * i, 2).c_str(), nullptr, 16));
  }
  return uuid;
}

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void sleep_until_ns(std::int64_t until) {
  const timespec time{until / 1'000'000'000, until % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
  }
}

Status after_work(std::int64_t done_ns) {
  sleep_until_ns(done_ns);
  return driver().fault == "run" ? kLaunchFailed : kSuccess;
}

/// Device memory is host memory here.
void* host(DevicePointer pointer) {
  return reinterpret_cast<void*>(pointer);  // NOLINT(performance-no-int-to-ptr)
}

/// What the kernel does to its memory: every pass gives back what it found, so one is enough.
void compute(const float* operands, float* results, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) results[i] = (operands[i] * 2.0F + 2.0F) / 2.0F - 1.0F;
  if (driver().fault == "result") results[count / 2] += 0.5F;
}

std::int64_t kernel_time_ns(std::uint32_t passes) {
  const double factor = driver().worked_ns >= kThrottledAfterNs ? driver().slow : 1.0;
  const double time = kPassNs * factor * passes;
  driver().worked_ns += time;
  return static_cast<std::int64_t>(time);
}

bool compiles(const std::string& ptx) {
  return driver().fault != "jit" &&
         ptx.find(truewatt::kernels::kFmaChainEntry) != std::string::npos;
}

/// What a compiler says, where somebody asked for its log.
Status refuse(unsigned count, const int* options, void** values) {
  for (unsigned i = 0; i + 1 < count; ++i) {
    if (options[i] != kJitErrorLogBuffer || options[i + 1] != kJitErrorLogBufferSize) continue;
    std::snprintf(static_cast<char*>(values[i]), reinterpret_cast<std::size_t>(values[i + 1]),
                  "line 12; fatal   : the test asked for it\n");
  }
  return kInvalidPtx;
}

}  // namespace

// The driver's names.
// NOLINTBEGIN(readability-identifier-naming)

FAKE_CUDA cuInit(unsigned) {
  driver().fault = environment("TRUEWATT_FAKE_CUDA_FAULT");
  const std::string slow = environment("TRUEWATT_FAKE_CUDA_SLOW");
  driver().slow = slow.empty() ? 1.0 : std::strtod(slow.c_str(), nullptr);
  driver().worked_ns = 0.0;
  driver().mig = std::getenv("TRUEWATT_FAKE_CUDA_MIG") != nullptr;
  driver().instance = shown_instance(environment("TRUEWATT_FAKE_CUDA_MIG"));
  const bool nothing_to_show = driver().mig && driver().instance.empty();
  driver().initialized = driver().fault != "init" && !nothing_to_show;
  return driver().initialized ? kSuccess : kNoDevice;
}

FAKE_CUDA cuGetErrorName(Status status, const char** name) {
  const struct {
    Status status;
    const char* name;
  } names[] = {{kNoDevice, "CUDA_ERROR_NO_DEVICE"},
               {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
               {kOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
               {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"}};
  *name = nullptr;
  for (const auto& entry : names) {
    if (entry.status == status) *name = entry.name;
  }
  return *name != nullptr ? kSuccess : kInvalidValue;
}

FAKE_CUDA cuDeviceGetCount(int* count) {
  if (!driver().initialized) return kNotInitialized;
  *count = driver().fault == "devices" ? 0 : driver().mig ? 1 : kDevices;
  return kSuccess;
}

FAKE_CUDA cuDeviceGet(DeviceHandle* device, int ordinal) {
  *device = kFirstHandle + ordinal;
  return kSuccess;
}

/// GPU-0a0b0c0d-0000-...: the first byte tells the devices apart.
FAKE_CUDA cuDeviceGetUuid_v2(DriverUuid* uuid, DeviceHandle device) {
  if (driver().mig) {
    *uuid = uuid_of(driver().instance);
    return kSuccess;
  }
  *uuid = DriverUuid{{static_cast<unsigned char>(device), 0x0B, 0x0C, 0x0D}};
  return kSuccess;
}

FAKE_CUDA cuDeviceGetPCIBusId(char* text, int length, DeviceHandle device) {
  const std::string bus = environment("TRUEWATT_FAKE_CUDA_BUS");
  const unsigned long first = std::strtoul(bus.empty() ? "1a" : bus.c_str(), nullptr, 16);
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02lx:00.0",
                first + static_cast<unsigned long>(device - kFirstHandle));
  return kSuccess;
}

FAKE_CUDA cuDeviceGetAttribute(int* value, int attribute, DeviceHandle) {
  if (attribute == kMultiprocessorCount) *value = kMultiprocessors;
  if (attribute == kMaxThreadsPerBlock) *value = kThreads;
  return kSuccess;
}

FAKE_CUDA cuDevicePrimaryCtxSetFlags_v2(DeviceHandle, unsigned flags) {
  if (driver().context.retained) return kPrimaryContextActive;
  return flags == kScheduleBlockingSync ? kSuccess : kInvalidValue;
}

FAKE_CUDA cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle) {
  driver().context.retained = true;
  *context = &driver().context;
  return kSuccess;
}

FAKE_CUDA cuDevicePrimaryCtxRelease_v2(DeviceHandle) {
  driver().context.retained = false;
  return kSuccess;
}

FAKE_CUDA cuCtxSetCurrent(ContextHandle context) {
  driver().current = context != nullptr;
  return kSuccess;
}

FAKE_CUDA cuModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned count, int* options,
                             void** values) {
  if (driver().current && compiles(static_cast<const char*>(image))) {
    *module = &driver().module;
    return kSuccess;
  }
  return refuse(count, options, values);
}

/// Its machine code is the PTX.
FAKE_CUDA cuLinkCreate_v2(unsigned count, int* options, void** values, LinkHandle* state) {
  if (!driver().current) return kInvalidValue;
  *state = new LinkTag;
  return driver().fault == "jit" ? refuse(count, options, values) : kSuccess;
}

FAKE_CUDA cuLinkAddData_v2(LinkHandle state, int type, void* data, std::size_t bytes, const char*,
                           unsigned, int*, void**) {
  if (type != kJitInputPtx) return kInvalidValue;
  state->ptx.assign(static_cast<const char*>(data), bytes);
  return compiles(state->ptx) ? kSuccess : kInvalidPtx;
}

FAKE_CUDA cuLinkComplete(LinkHandle state, void** image, std::size_t* bytes) {
  *image = state->ptx.data();
  *bytes = state->ptx.size();
  return kSuccess;
}

FAKE_CUDA cuLinkDestroy(LinkHandle state) {
  delete state;
  return kSuccess;
}

FAKE_CUDA cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, FunctionHandle, int,
                                                      std::size_t) {
  *blocks = 1;
  return kSuccess;
}

FAKE_CUDA cuModuleUnload(ModuleHandle) { return kSuccess; }

FAKE_CUDA cuModuleGetFunction(FunctionHandle* function, ModuleHandle, const char* name) {
  if (name != truewatt::kernels::kFmaChainEntry) return kNotFound;
  *function = &driver().function;
  return kSuccess;
}

FAKE_CUDA cuMemAlloc_v2(DevicePointer* pointer, std::size_t bytes) {
  *pointer = reinterpret_cast<DevicePointer>(std::malloc(bytes));
  return kSuccess;
}

FAKE_CUDA cuMemFree_v2(DevicePointer pointer) {
  std::free(host(pointer));
  return kSuccess;
}

FAKE_CUDA cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  std::memcpy(host(to), from, bytes);
  return kSuccess;
}

FAKE_CUDA cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  std::memcpy(to, host(from), bytes);
  return kSuccess;
}

FAKE_CUDA cuStreamCreate(StreamHandle* stream, unsigned) {
  *stream = new StreamTag;
  return kSuccess;
}

FAKE_CUDA cuStreamDestroy_v2(StreamHandle stream) {
  delete stream;
  return kSuccess;
}

FAKE_CUDA cuStreamSynchronize(StreamHandle stream) { return after_work(stream->busy_until_ns); }

FAKE_CUDA cuEventCreate(EventHandle* event, unsigned) {
  *event = new EventTag;
  return kSuccess;
}

FAKE_CUDA cuEventDestroy_v2(EventHandle event) {
  delete event;
  return kSuccess;
}

FAKE_CUDA cuEventRecord(EventHandle event, StreamHandle stream) {
  event->done_ns = std::max(now_ns(), stream->busy_until_ns);
  return kSuccess;
}

FAKE_CUDA cuEventSynchronize(EventHandle event) { return after_work(event->done_ns); }

FAKE_CUDA cuEventElapsedTime(float* milliseconds, EventHandle begin, EventHandle end) {
  *milliseconds = static_cast<float>(end->done_ns - begin->done_ns) * 1e-6F;
  return kSuccess;
}

FAKE_CUDA cuLaunchKernel(FunctionHandle function, unsigned blocks, unsigned, unsigned,
                         unsigned threads, unsigned, unsigned, unsigned, StreamHandle stream,
                         void** parameters, void**) {
  const bool good = driver().current && function == &driver().function && blocks >= 1 &&
                    blocks <= kMultiprocessors && threads == kThreads;
  if (!good) return kInvalidValue;
  if (driver().fault == "launch") return kOutOfResources;
  const auto operands = *static_cast<DevicePointer*>(parameters[0]);
  const auto results = *static_cast<DevicePointer*>(parameters[1]);
  const auto passes = *static_cast<std::uint32_t*>(parameters[2]);
  const std::int64_t start = std::max(now_ns() + kLaunchLatencyNs, stream->busy_until_ns + kGapNs);
  stream->busy_until_ns = start + kernel_time_ns(passes);
  compute(static_cast<const float*>(host(operands)), static_cast<float*>(host(results)),
          std::size_t{blocks} * threads);
  return kSuccess;
}

// NOLINTEND(readability-identifier-naming)
