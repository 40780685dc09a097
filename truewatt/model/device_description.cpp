#include "truewatt/model/device_description.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

namespace truewatt {
namespace {

Unexpected bad_value(std::string_view key, double value, std::string_view allowed) {
  return {Errc::invalid_argument, fmt::format("{} = {}: must be {}", key, value, allowed)};
}

struct Bound {
  std::string_view key;
  double value;
  double least;
  double most = std::numeric_limits<double>::infinity();
};

/// Drivers keep some hundred samples; a simulated ring fills memory.
constexpr double kLongestRing = 1e6;

/// Every listed value must be finite and within its bounds.
Result<void> check_bounds(std::initializer_list<Bound> bounds) {
  for (const Bound& bound : bounds) {
    if (!std::isfinite(bound.value) || bound.value < bound.least) {
      return bad_value(bound.key, bound.value, fmt::format("at least {}", bound.least));
    }
    if (bound.value > bound.most) {
      return bad_value(bound.key, bound.value, fmt::format("at most {}", bound.most));
    }
  }
  return {};
}

Result<void> check_board(const BoardDescription& board) {
  const auto bounds = check_bounds({
      {"power.sleep_w", board.sleep.value(), 0},
      {"power.idle_w", board.idle.value(), 0},
      {"power.max_w", board.max.value(), board.idle.value()},
      {"power.rise_time_constant_s", board.rise_time_constant.count(), 0},
      {"power.overshoot_time_constant_s", board.overshoot_time_constant.count(), 1e-6},
      {"power.active_idle_w", board.active_idle.value_or(board.idle).value(), 0},
      {"power.active_idle_hold_s", board.active_idle_hold.count(), 0},
      {"power.step_down_s", board.step_down.count(), 1e-3},
      {"power.drift_time_constant_s", board.drift_time_constant.count(), 1e-3},
      {"power.noise_w", board.noise.value(), 0},
      {"power.cpu_idle_w", board.cpu_idle.value(), 0},
      {"power.cpu_max_w", board.cpu_max.value(), 0},
  });
  if (!bounds) return bounds;
  if (!(board.rise_fraction >= 0 && board.rise_fraction <= 1)) {
    return bad_value("power.rise_fraction", board.rise_fraction, "between 0 and 1");
  }
  if (!std::isfinite(board.overshoot)) {
    return bad_value("power.overshoot", board.overshoot, "finite");
  }
  if (!std::isfinite(board.drift.value())) {
    return bad_value("power.drift_w", board.drift.value(), "finite");
  }
  return {};
}

Result<void> check_sensor(const SensorDescription& sensor) {
  const ObservationModel& model = sensor.model;
  const auto bounds = check_bounds({
      {"update_period_s", model.update_period.count(), 1e-5},
      {"averaging_window_s", model.averaging_window.count(), 0},
      {"time_constant_s", model.time_constant.count(), 0},
      {"inner_period_s", model.inner_period.count(), 0},
      {"jitter_s", sensor.jitter.count(), 0},
      {"quantum", sensor.quantum, 0},
      {"noise_w", sensor.noise.value(), 0},
      {"client_cache_s", sensor.client_cache.count(), 0},
      {"call_cost_s", sensor.call_cost.count(), 0},
      {"ring", static_cast<double>(sensor.ring), 1, kLongestRing},
      {"activity_steps", static_cast<double>(sensor.activity_steps), 0},
  });
  if (!bounds) return bounds;
  if (!(std::isfinite(model.gain) && model.gain > 0)) {
    return bad_value("gain", model.gain, "greater than 0");
  }
  if (!std::isfinite(model.delay.count()) || !std::isfinite(model.offset.value())) {
    return Unexpected(Errc::invalid_argument, "delay_s and offset_w must be finite");
  }
  const bool is_counter = counts_energy(sensor.source);
  if (sensor.activity_steps > 0 && (is_counter || sensor.source.scope != Scope::gpu)) {
    return Unexpected(Errc::invalid_argument,
                      "activity_steps is for power sources of the GPU only; leave it out");
  }
  if (!is_counter && model.inner_period > model.averaging_window) {
    return Unexpected(Errc::invalid_argument,
                      "inner_period_s is for energy.counter and for averages over as long or "
                      "longer; leave it out");
  }
  if (model.inner_period.count() > 0 && model.inner_period < Seconds(1e-5)) {
    return bad_value("inner_period_s", model.inner_period.count(), "0 or at least 1e-05");
  }
  return {};
}

/// Boards of today have at most seven instances.
constexpr double kLeastShare = 0.01;
/// A simulation lives through every second of a stall.
constexpr Seconds kLongestStall{3600};

Result<void> check_faults(const FaultDescription& faults) {
  for (const Throttle& throttle : faults.throttle) {
    if (!(throttle.level_cap >= 0 && throttle.level_cap <= 1)) {
      return bad_value("faults.throttle level cap", throttle.level_cap, "between 0 and 1");
    }
    const auto bounds = check_bounds({{"faults.throttle at", throttle.at.count(), 0},
                                      {"faults.throttle length", throttle.length.count(), 0}});
    if (!bounds) return bounds;
  }
  for (const OtherWork& work : faults.other_work) {
    if (!(work.level > 0 && work.level <= 1)) {
      return bad_value("faults.other_work level", work.level, "between 0 and 1");
    }
    const auto bounds = check_bounds({{"faults.other_work at", work.at.count(), 0},
                                      {"faults.other_work length", work.length.count(), 0}});
    if (!bounds) return bounds;
  }
  for (const Stall& stall : faults.stalls) {
    const auto bounds = check_bounds({{"faults.stalls at", stall.at.count(), 0},
                                      {"faults.stalls length", stall.length.count(), 0}});
    if (!bounds) return bounds;
    if (stall.length > kLongestStall) {
      return bad_value("faults.stalls length", stall.length.count(), "at most 3600");
    }
  }
  return {};
}

Result<void> check_machine(const MachineDescription& machine) {
  const struct {
    const char* key;
    double value;
    double most;
  } positive[] = {{"machine.sms", static_cast<double>(machine.sms), 10000},
                  {"machine.clock_hz", machine.clock_hz, 1e11},
                  {"machine.lanes_per_cycle", machine.lanes_per_cycle, 1e5},
                  {"machine.threads_per_sm", static_cast<double>(machine.threads_per_sm), 1e5}};
  for (const auto& [key, value, most] : positive) {
    if (value > 0 && value <= most) continue;
    return bad_value(key, value, fmt::format("above 0, at most {:g}", most));
  }
  if (!(machine.stray >= 0 && machine.stray <= 1)) {
    return bad_value("machine.stray", machine.stray, "between 0 and 1");
  }
  if (!(machine.mixing >= 0 && machine.mixing <= 1)) {
    return bad_value("machine.mixing", machine.mixing, "between 0 and 1");
  }
  if (!(machine.clock_exponent >= 0 && machine.clock_exponent <= 4)) {
    return bad_value("machine.clock_exponent", machine.clock_exponent, "between 0 and 4");
  }
  if (machine.spin.value() >= 0) return {};
  return bad_value("machine.spin_w", machine.spin.value(), "0 or more");
}

}  // namespace

Result<void> check_description(const DeviceDescription& device) {
  if (const auto board = check_board(device.board); !board) return board;
  std::set<SourceId> seen;
  for (const SensorDescription& sensor : device.sensors) {
    const std::string name = to_string(sensor.source);
    if (!seen.insert(sensor.source).second) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("two [[sensor]] tables describe {}; keep one", name));
    }
    if (const auto checked = check_sensor(sensor); !checked) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("[[sensor]] {}: {}", name, checked.error().message));
    }
  }
  for (const SensorDescription& sensor : device.sensors) {
    if (!sensor.alias_of || seen.contains(*sensor.alias_of)) continue;
    return Unexpected(Errc::invalid_argument,
                      fmt::format("[[sensor]] {}: alias_of = {} is not a sensor of this device",
                                  to_string(sensor.source), to_string(*sensor.alias_of)));
  }
  const double share = device.mig ? device.mig->share : 0.0;
  if (share != 0 && !(share >= kLeastShare && share <= 1)) {
    return bad_value("mig.share", share, "0 or between 0.01 and 1");
  }
  if (const auto machine = check_machine(device.machine); !machine) return machine;
  return check_faults(device.faults);
}

Watts power_limit(const DeviceDescription& device) {
  constexpr double kStep = 25.0;
  return Watts(std::ceil(device.board.max.value() / kStep) * kStep);
}

std::optional<MigMode> mig_mode(const DeviceDescription& device) {
  if (!device.mig) return std::nullopt;
  MigMode mig;
  if (device.mig->share == 0) return mig;
  const int count = static_cast<int>(std::floor(1.0 / device.mig->share + 1e-9));
  for (int i = 0; i < count; ++i) {
    const std::string uuid = uuid_from_content(fmt::format("{}, instance {}", device.uuid, i));
    mig.instances.push_back("MIG" + uuid.substr(uuid.find('-')));
  }
  return mig;
}

std::string uuid_from_content(std::string_view content) {
  // FNV-1a, 64 bits, twice with different offsets: not for security, only so that two descriptions
  // do not share a profile.
  const auto hash = [content](std::uint64_t state) {
    for (const char c : content) {
      state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return state;
  };
  const std::uint64_t high = hash(0xcbf29ce484222325ULL);
  const std::uint64_t low = hash(high ^ 0x9e3779b97f4a7c15ULL);
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffffULL);
}

}  // namespace truewatt
