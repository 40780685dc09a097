// A stand-in for NVIDIA's library whose driver fails on purpose. TRUEWATT_FAULT is KIND or KIND@S:
// from second S after nvmlInit on (default 0) the one GPU does what is() below asks for. It draws
// 100 W, 300 W from 1 to 2.5 s, and publishes every 0.1 s. Without a fault all is well.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "truewatt/sensor/nvml/nvml_abi.hpp"

#define TRUEWATT_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace truewatt::sensor::nvml;
using SteadyClock = std::chrono::steady_clock;

constexpr double kIdle = 100.0;  // W
constexpr double kWork = 200.0;  // W above idle ...
constexpr double kFrom = 1.0;    // s
constexpr double kUntil = 2.5;   // s
constexpr double kPeriod = 0.1;  // s
constexpr double kJoulesAtFirst = 1e6;

SteadyClock::time_point loaded;

double now() { return std::chrono::duration<double>(SteadyClock::now() - loaded).count(); }

struct Fault {
  std::string kind;
  double from = 0.0;  // s
};

const Fault& fault() {
  static const Fault read = [] {
    const char* text = std::getenv("TRUEWATT_FAULT");
    Fault one{text ? text : ""};
    const std::size_t at = one.kind.find('@');
    if (at == std::string::npos) return one;
    one.from = std::atof(one.kind.c_str() + at + 1);
    one.kind.resize(at);
    return one;
  }();
  return read;
}

bool is(std::string_view kind) { return fault().kind == kind && now() >= fault().from; }

[[noreturn]] void hang() {
  for (;;) pause();
}

/// What a call for a reading answers before it comes to a value.
Return refused() {
  if (is("hangs")) hang();
  if (is("slow")) usleep(2'000'000);
  if (is("lost")) return Return::gpu_is_lost;
  if (is("denied")) return Return::no_permission;
  if (is("times_out")) return Return::timeout;
  if (is("unknown")) return Return::unknown;
  if (is("unloaded")) return Return::driver_not_loaded;
  return Return::success;
}

double tick() { return std::floor(now() / kPeriod) * kPeriod; }

double watts(double time) { return kIdle + (time > kFrom && time <= kUntil ? kWork : 0.0); }

double joules_until(double time) {
  return kIdle * time + kWork * (std::clamp(time, kFrom, kUntil) - kFrom);
}

/// As published last; its last digits change from tick to tick.
std::uint32_t milliwatts() {
  if (is("nothing")) return 0;
  if (is("all_ones")) return 0xffffffffU;
  const double time = is("stuck") ? fault().from : tick();
  const auto digits = static_cast<std::uint32_t>(std::lround(time / kPeriod)) % 5;
  return static_cast<std::uint32_t>(watts(time) * 1000) + digits;
}

unsigned long long millijoules() {
  const double at_fault = joules_until(fault().from);
  double joules = kJoulesAtFirst + joules_until(tick());
  if (is("counter_leaps")) joules += 1e9;
  if (is("counter_doubles")) joules += joules_until(tick()) - at_fault;
  if (is("counter_starts_again")) joules -= kJoulesAtFirst;
  if (is("counter_stops")) joules = kJoulesAtFirst + at_fault;
  if (is("all_ones")) return ~0ULL;
  return static_cast<unsigned long long>(joules * 1000);
}

Return text(char* out, std::uint32_t size, const char* value) {
  std::strncpy(out, value, size);
  return Return::success;
}

void answer(FieldValue& field) {
  field.result = Return::not_supported;
  if (field.scope != FieldScope::gpu) return;
  field.type = ValueType::unsigned_int;
  if (field.field == Field::power_average || field.field == Field::power_instant) {
    field.result = Return::success;
    field.value.unsigned_int = milliwatts();
    if (is("not_a_number")) {
      field.type = ValueType::float64;
      field.value.float64 = std::nan("");
    }
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming)
TRUEWATT_EXPORT Return nvmlInit_v2() {
  loaded = SteadyClock::now();
  if (is("init_hangs")) hang();
  if (is("init_fails")) return Return::driver_not_loaded;
  return Return::success;
}
TRUEWATT_EXPORT Return nvmlShutdown() {
  if (is("shutdown_hangs")) hang();
  return Return::success;
}
TRUEWATT_EXPORT Return nvmlDeviceGetCount_v2(std::uint32_t* count) {
  *count = 1;
  return Return::success;
}
TRUEWATT_EXPORT Return nvmlDeviceGetHandleByIndex_v2(std::uint32_t index, void** device) {
  static int gpu = 0;
  *device = &gpu;
  return index == 0 ? Return::success : Return::invalid_argument;
}
TRUEWATT_EXPORT const char* nvmlErrorString(Return) { return "\033[31ma fault"; }
TRUEWATT_EXPORT Return nvmlSystemGetDriverVersion(char* out, std::uint32_t size) {
  return text(out, size, is("escapes") ? "1\033[2J" : "580.1");
}
TRUEWATT_EXPORT Return nvmlDeviceGetName(void*, char* out, std::uint32_t size) {
  return text(out, size, is("escapes") ? "GPU\033]0;name\007" : "Faulty GPU");
}
TRUEWATT_EXPORT Return nvmlDeviceGetUUID(void*, char* out, std::uint32_t size) {
  return text(out, size, "GPU-0f0f0f0f-0000-0000-0000-000000000001");
}
TRUEWATT_EXPORT Return nvmlDeviceGetPowerUsage(void*, std::uint32_t* out) {
  *out = milliwatts();
  return refused();
}
TRUEWATT_EXPORT Return nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* out) {
  *out = millijoules();
  return refused();
}
TRUEWATT_EXPORT Return nvmlDeviceGetFieldValues(void*, std::int32_t count, FieldValue* fields) {
  for (std::int32_t i = 0; i < count; ++i) answer(fields[i]);
  return refused();
}
// NOLINTEND(readability-identifier-naming)
