#include "truewatt/simgpu/simulated_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "truewatt/simgpu/module_power.hpp"

namespace truewatt::simgpu {
namespace {

constexpr std::uint64_t kReasonIdle = 0x1;
constexpr std::uint64_t kReasonPowerCap = 0x4;
/// MHz without a context, and the share of the clock that a fault leaves: 1515 of 1980 MHz on an
/// H200 at its power limit.
constexpr double kSleepingClock = 345.0;
constexpr double kThrottledShare = 1515.0 / 1980.0;
/// Less work than this is a context that waits.
constexpr double kLeastWork = 1e-3;
/// The driver averages utilisation over about this long.
constexpr double kUtilizationWindow = 0.2;
/// A refreshing call of a double-valued client returns what the source showed this long ago: 2 ms,
/// measured on an H200.
constexpr double kDoubleAge = 0.002;

/// The sensor, of activity instead of power where its readings are computed: gain and offset then
/// hold the power that the driver believes full activity and none to draw.
SensorDescription as_observer(SensorDescription sensor, const BoardDescription& board) {
  if (sensor.activity_steps == 0) return sensor;
  const double nominal_gain = sensor.model.gain;
  sensor.model.gain = nominal_gain * (board.max - board.idle).value();
  sensor.model.offset += nominal_gain * board.idle;
  return sensor;
}

/// A sensor whose samples are those that the ring has, of the same part of the board.
bool averages(const SensorDescription& sensor, const SensorDescription& ring) {
  return comes_in_ring(ring.source) && !counts_energy(sensor.source) &&
         sensor.source.scope == ring.source.scope && sensor.model.inner_period.count() > 0 &&
         sensor.model.inner_period == ring.model.update_period &&
         sensor.model.update_period == ring.model.update_period;
}

}  // namespace

SimulatedGpu::SimulatedGpu(DeviceDescription description, std::uint64_t seed)
    : description_(std::move(description)),
      gpu_signal_(board_power(description_.board, {}, {})),
      cpu_signal_(cpu_power(description_.board, {})),
      module_signal_(module_power(gpu_signal_, cpu_signal_)),
      activity_signal_(board_activity({}, {})),
      noise_(description_.board.noise, seed),
      silence_(Watts(0), seed) {
  for (std::size_t i = 0; i < description_.sensors.size(); ++i) {
    const SensorDescription& sensor = description_.sensors[i];
    const Scope seen = sensor.observes.value_or(sensor.source.scope);
    const bool computed = sensor.activity_steps > 0;
    const PowerSignal& signal = computed                ? activity_signal_
                                : seen == Scope::cpu    ? cpu_signal_
                                : seen == Scope::module ? module_signal_
                                                        : gpu_signal_;
    const PowerNoise& noise = computed || seen == Scope::cpu ? silence_ : noise_;
    auto source = std::make_unique<SimulatedSource>(as_observer(sensor, description_.board), signal,
                                                    noise, seed, stream_of(i));
    if (counts_energy(sensor.source) && description_.faults.counter_reset) {
      source->reset_counter_at(description_.faults.counter_reset->count());
    }
    sensors_.push_back({std::move(source), {}});
  }
  rebuild();
}

/// What is random about a sensor: its own, that of the one it is another name of, or that of the
/// sample ring that it averages.
std::uint64_t SimulatedGpu::stream_of(std::size_t sensor) const {
  const auto& sensors = description_.sensors;
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const bool is_alias = sensors[sensor].alias_of == sensors[i].source;
    if (is_alias || averages(sensors[sensor], sensors[i])) return i;
  }
  return sensor;
}

void SimulatedGpu::play(Play play) {
  const std::scoped_lock lock(mutex_);
  add(plays_, std::move(play));
}

void SimulatedGpu::play_cpu(Play play) {
  const std::scoped_lock lock(mutex_);
  add(cpu_plays_, std::move(play));
}

void SimulatedGpu::add(std::vector<Play>& plays, Play play) {
  assert(!play.steps.empty());
  // No context begins before the newest reading, so that those already given stay true.
  play.lead = std::clamp(play.steps.front().at - asked_until_, 0.0, play.lead);
  plays.push_back(std::move(play));
  rebuild();
}

void SimulatedGpu::rebuild() {
  const FaultDescription& faults = description_.faults;
  gpu_signal_ = board_power(description_.board, plays_, faults.throttle, faults.other_work);
  cpu_signal_ = cpu_power(description_.board, cpu_plays_);
  module_signal_ = module_power(gpu_signal_, cpu_signal_);
  activity_signal_ = board_activity(plays_, faults.throttle, faults.other_work);
  for (Sensor& sensor : sensors_) sensor.source->signal_changed();
}

double SimulatedGpu::stalled_until(double t) const {
  for (const Stall& stall : description_.faults.stalls) {
    const double end = (stall.at + stall.length).count();
    if (t >= stall.at.count() && t < end) return end;
  }
  return t;
}

Result<SimulatedGpu::Sensor*> SimulatedGpu::find(SourceId source, double t) {
  const FaultDescription& faults = description_.faults;
  if (faults.gpu_lost && t >= faults.gpu_lost->count()) {
    return Unexpected(Errc::device,
                      fmt::format("{} is lost; restart the simulation", description_.name));
  }
  if (std::find(faults.denied.begin(), faults.denied.end(), source.kind) != faults.denied.end()) {
    return Unexpected(Errc::permission,
                      fmt::format("no permission to read {} of {}; remove it from `denied` in "
                                  "the device's [faults]",
                                  to_string(source), description_.name));
  }
  for (Sensor& sensor : sensors_) {
    if (sensor.source->description().source == source) return &sensor;
  }
  return Unexpected(Errc::unsupported,
                    fmt::format("{} has no {}; it has no [[sensor]] table for it",
                                description_.name, to_string(source)));
}

Result<SimulatedGpu::Answer> SimulatedGpu::read(SourceId source, double t) {
  const std::scoped_lock lock(mutex_);
  asked_until_ = std::max(asked_until_, t);
  const double start = stalled_until(t);
  auto sensor = find(source, start);
  if (!sensor) return Unexpected(sensor.error());
  Answer given = answer(**sensor, start);
  given.cost_s += start - t;
  return given;
}

SimulatedGpu::Answer SimulatedGpu::answer(Sensor& sensor, double t) {
  const SensorDescription& description = sensor.source->description();
  const double cost = description.call_cost.count();
  if (description.client_cache.count() == 0.0) {
    return {sensor.source->published(t + cost).value, cost};
  }
  Client& client = sensor.client;
  if (client.filled && t - client.refreshed_at < description.client_cache.count()) {
    return {client.value, 0.0};
  }
  const double first = description.client_double ? other_value(sensor, t) : 0.0;
  client = {t + cost, sensor.source->published(t + cost).value, true};
  return {description.client_double ? first : client.value, cost};
}

double SimulatedGpu::other_value(Sensor& sensor, double t) {
  const SensorDescription& description = sensor.source->description();
  if (description.source.kind == SourceKind::power_usage) {
    for (Sensor& other : sensors_) {
      const SourceId candidate = other.source->description().source;
      if (candidate == SourceId{SourceKind::power_instant, description.source.scope}) {
        return other.source->value_of(other.source->tick_at(t));
      }
    }
  }
  const std::int64_t shown = sensor.source->tick_at(t);
  return sensor.source->value_of(std::min(sensor.source->tick_at(t - kDoubleAge), shown - 1));
}

Result<SimulatedGpu::Ring> SimulatedGpu::samples(double since, double t) {
  const std::scoped_lock lock(mutex_);
  asked_until_ = std::max(asked_until_, t);
  const double start = stalled_until(t);
  auto found = find({SourceKind::power_samples, Scope::gpu}, start);
  if (!found) return Unexpected(found.error());
  SimulatedSource& source = *(*found)->source;
  Ring ring{.cost_s = start - t + source.description().call_cost.count()};
  const std::int64_t newest = source.tick_at(start);
  const std::int64_t oldest = newest - source.description().ring + 1;
  // The driver was up before anybody asked: entries from before time 0 are there too.
  for (std::int64_t tick = oldest; tick <= newest; ++tick) {
    const double stamp = source.stamp_time(tick);
    if (stamp > since) ring.entries.push_back({stamp, source.value_of(tick)});
  }
  return ring;
}

Result<SimulatedGpu::State> SimulatedGpu::state(double t) {
  const std::scoped_lock lock(mutex_);
  asked_until_ = std::max(asked_until_, t);
  const FaultDescription& faults = description_.faults;
  if (faults.gpu_lost && t >= faults.gpu_lost->count()) {
    return Unexpected(Errc::device, fmt::format("{} is lost", description_.name));
  }
  const Activity now = activity_at(plays_, faults.throttle, t, faults.other_work);
  constexpr int kLooks = 20;
  int busy = 0;
  for (int i = 0; i < kLooks; ++i) {
    const double back = kUtilizationWindow * i / kLooks;
    const Activity then = activity_at(plays_, faults.throttle, t - back, faults.other_work);
    busy += then.level > kLeastWork ? 1 : 0;
  }
  State state;
  state.context = now.context;
  state.utilization_percent = 100.0 * busy / kLooks;
  state.temperature_c = std::round(35.0 + 25.0 * now.level);
  const double clock_mhz = 1e-6 * description_.machine.clock_hz;
  state.sm_clock_mhz = !now.context    ? kSleepingClock
                       : now.throttled ? kThrottledShare * clock_mhz
                                       : now.clock_share * clock_mhz;
  state.memory_used_bytes = now.context ? 600ULL << 20 : 0;
  state.clocks_event_reasons = (now.level > 0 ? 0 : kReasonIdle) |
                               (now.throttled || now.clock_share < 1.0 ? kReasonPowerCap : 0);
  return state;
}

void SimulatedGpu::count(const Traffic& traffic) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < traffic.loads.size(); ++i) {
    traffic_.loads[i] += traffic.loads[i];
    traffic_.stores[i] += traffic.stores[i];
  }
}

SimulatedGpu::Traffic SimulatedGpu::traffic() const {
  const std::scoped_lock lock(mutex_);
  return traffic_;
}

double SimulatedGpu::true_energy(double t0, double t1) {
  const std::scoped_lock lock(mutex_);
  return gpu_signal_.integral(t1) - gpu_signal_.integral(t0) + noise_.integral(t1) -
         noise_.integral(t0);
}

double SimulatedGpu::true_power(double t) const {
  const std::scoped_lock lock(mutex_);
  return gpu_signal_.value(t);
}

std::vector<double> SimulatedGpu::edges(double t0, double t1) const {
  const std::scoped_lock lock(mutex_);
  std::vector<double> times;
  for (const PowerSignal::Segment& segment : gpu_signal_.segments()) {
    if (segment.begin > t0 && segment.begin < t1) times.push_back(segment.begin);
  }
  return times;
}

}  // namespace truewatt::simgpu
