#include "truewatt/sensor/nvml/nvml_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "truewatt/sensor/nvml/nvml_errors.hpp"

namespace truewatt::sensor::nvml {
namespace {

constexpr double kMilli = 1000.0;  // of milliwatts and millijoules
/// The ring may grow between asking for its size and fetching it; twice is already improbable.
constexpr int kRingAttempts = 4;

DriverTime from_microseconds(std::int64_t us) { return DriverTime(std::chrono::microseconds(us)); }

std::uint64_t to_microseconds(DriverTime time) {
  const auto us = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  return us.count() < 0 ? 0 : static_cast<std::uint64_t>(us.count());
}

template <std::size_t kSize, class Function>
std::string text_of(Function function, Device handle) {
  std::array<char, kSize> text{};
  const auto size = static_cast<std::uint32_t>(kSize);
  if (call(function, handle, text.data(), size) != Return::success) return {};
  text.back() = '\0';
  return text.data();
}

std::string pci_of(const Api& api, Device handle) {
  PciInfo info{};
  if (call(api.pci_info, handle, &info) != Return::success) return {};
  return fmt::format("{:08X}:{:02X}:{:02X}.0", info.domain, info.bus, info.device);
}

/// The most that anybody can set the limit to, which is the board's own; of a board whose limit
/// cannot be set, that which is enforced.
std::optional<Watts> power_limit_of(const Api& api, Device handle) {
  std::uint32_t least = 0;
  std::uint32_t milliwatts = 0;
  if (call(api.limit_constraints, handle, &least, &milliwatts) != Return::success &&
      call(api.enforced_limit, handle, &milliwatts) != Return::success) {
    return std::nullopt;
  }
  if (milliwatts == 0) return std::nullopt;
  return Watts(milliwatts / kMilli);
}

/// Which of several calls answered, and whether the rest failed because the GPU is gone.
struct Answers {
  bool any = false;
  Return lost = Return::success;

  bool take(Return code) {
    any = any || code == Return::success;
    if (means_gpu_lost(code)) lost = code;
    return code == Return::success;
  }
  bool none_but_lost() const { return !any && lost != Return::success; }
};

/// Samples with a stamp newer than `since`, oldest first.
Result<std::vector<Reading>> readings_of(const std::vector<Sample>& samples, ValueType type,
                                         std::optional<DriverTime> since) {
  std::vector<Reading> readings;
  readings.reserve(samples.size());
  for (const auto& sample : samples) {
    const auto stamp = from_microseconds(static_cast<std::int64_t>(sample.timestamp_us));
    if (sample.timestamp_us == 0 || (since && stamp <= *since)) continue;
    const auto milliwatts = to_double(sample.value, type);
    if (!milliwatts) {
      return Unexpected(Errc::unsupported,
                        fmt::format("nvmlDeviceGetSamples: unknown value type {}; the driver is "
                                    "newer than this truewatt",
                                    static_cast<int>(type)));
    }
    readings.push_back({*milliwatts / kMilli, stamp});
  }
  std::ranges::stable_sort(readings, {}, &Reading::stamp);
  return readings;
}

}  // namespace

std::string to_string(Field field, FieldScope scope) {
  constexpr std::array<std::string_view, 3> kScopes = {"gpu", "module", "memory"};
  return fmt::format("nvmlDeviceGetFieldValues(field {}, scope {})", static_cast<unsigned>(field),
                     kScopes.at(static_cast<std::size_t>(scope)));
}

DeviceCalls::DeviceCalls(std::shared_ptr<const Library> library, Device handle, int index)
    : library_(std::move(library)), handle_(handle) {
  identity_.index = index;
  identity_.name = text_of<kNameSize>(api().name, handle);
  identity_.uuid = text_of<kUuidSize>(api().uuid, handle);
  identity_.pci = pci_of(api(), handle);
  identity_.driver = library_->driver_version();
  identity_.power_limit = power_limit_of(api(), handle);
}

std::string DeviceCalls::subject() const {
  return identity_.name.empty() ? fmt::format("GPU {}", identity_.index)
                                : fmt::format("GPU {} ({})", identity_.index, identity_.name);
}

Unexpected DeviceCalls::failed(Return code, std::string_view call) const {
  return Unexpected(describe(code, subject(), call));
}

Result<Reading> DeviceCalls::power_usage() const {
  std::uint32_t milliwatts = 0;
  const auto code = call(api().power_usage, handle_, &milliwatts);
  if (code != Return::success) return failed(code, "nvmlDeviceGetPowerUsage");
  return Reading{milliwatts / kMilli, std::nullopt};
}

Result<Reading> DeviceCalls::total_energy() const {
  unsigned long long millijoules = 0;
  const auto code = call(api().total_energy, handle_, &millijoules);
  if (code != Return::success) return failed(code, "nvmlDeviceGetTotalEnergyConsumption");
  return Reading{static_cast<double>(millijoules) / kMilli, std::nullopt};
}

Result<Reading> DeviceCalls::field(Field field, FieldScope scope) const {
  FieldValue entry{};
  entry.field = field;
  entry.scope = scope;
  auto code = call(api().field_values, handle_, 1, &entry);
  if (code == Return::success) code = entry.result;
  if (code != Return::success) return failed(code, to_string(field, scope));
  const auto milli = to_double(entry.value, entry.type);
  if (!milli || (*milli == 0.0 && scope != FieldScope::gpu)) {
    return failed(Return::not_supported, to_string(field, scope));
  }
  if (!std::isfinite(*milli)) {
    return Unexpected(
        Errc::unavailable,
        fmt::format("{}: {} answers something that is not a number; if it stays so, reload or "
                    "update the driver",
                    subject(), to_string(field, scope)));
  }
  return Reading{*milli / kMilli, std::nullopt};
}

Result<std::uint32_t> DeviceCalls::ring_size() const {
  ValueType type{};
  std::uint32_t count = 0;
  Sample* const size_only = nullptr;
  const auto code =
      call(api().samples, handle_, SamplingType::total_power, 0ULL, &type, &count, size_only);
  if (code == Return::not_found) return std::uint32_t{0};
  if (code != Return::success && code != Return::insufficient_size) {
    return failed(code, "nvmlDeviceGetSamples(TOTAL_POWER)");
  }
  return count;
}

Result<std::vector<Reading>> DeviceCalls::ring(std::optional<DriverTime> since,
                                               std::uint32_t& capacity) const {
  const unsigned long long last_seen = since ? to_microseconds(*since) : 0;
  for (int attempt = 0; attempt < kRingAttempts; ++attempt) {
    if (capacity == 0 || attempt > 0) {
      const auto size = ring_size();
      if (!size) return Unexpected(size.error());
      if (*size == 0) return std::vector<Reading>{};
      capacity = std::max(*size, capacity + capacity / 2);
    }
    std::vector<Sample> samples(capacity);
    ValueType type{};
    std::uint32_t count = capacity;
    const auto code = call(api().samples, handle_, SamplingType::total_power, last_seen, &type,
                           &count, samples.data());
    if (code == Return::insufficient_size) continue;
    if (code == Return::not_found) return std::vector<Reading>{};
    if (code != Return::success) return failed(code, "nvmlDeviceGetSamples(TOTAL_POWER)");
    samples.resize(std::min(count, capacity));
    return readings_of(samples, type, since);
  }
  return failed(Return::insufficient_size, "nvmlDeviceGetSamples(TOTAL_POWER)");
}

Result<HealthSample> DeviceCalls::health() const {
  Answers answers;
  HealthSample health;
  Utilization rates{};
  if (answers.take(call(api().utilization, handle_, &rates))) {
    health.utilization_percent = rates.gpu_percent;
  }
  std::int32_t state = kPerformanceStateUnknown;
  if (answers.take(call(api().performance_state, handle_, &state)) &&
      state != kPerformanceStateUnknown) {
    health.p_state = state;
  }
  std::uint32_t mhz = 0;
  if (answers.take(call(api().clock_info, handle_, kClockSm, &mhz))) health.sm_clock_mhz = mhz;
  if (answers.take(call(api().clock_info, handle_, kClockMemory, &mhz))) {
    health.memory_clock_mhz = mhz;
  }
  unsigned long long reasons = 0;
  if (answers.take(call(api().clocks_event_reasons, handle_, &reasons))) {
    health.clocks_event_reasons = reasons;
  }
  Memory memory{};
  if (answers.take(call(api().memory_info, handle_, &memory))) {
    health.memory_used_bytes = memory.used_bytes;
  }
  std::int32_t celsius = 0;
  if (answers.take(temperature(celsius))) health.temperature_c = celsius;
  if (answers.none_but_lost()) return failed(answers.lost, "every health query");
  return health;
}

Return DeviceCalls::temperature(std::int32_t& celsius) const {
  std::uint32_t old_style = 0;
  const auto code = call(api().temperature, handle_, kTemperatureGpu, &old_style);
  celsius = static_cast<std::int32_t>(old_style);
  if (code == Return::success) return code;
  Temperature temperature;
  const auto code_v = call(api().temperature_v, handle_, &temperature);
  celsius = temperature.celsius;
  return code_v == Return::function_not_found ? code : code_v;
}

}  // namespace truewatt::sensor::nvml
