#include "truewatt/simgpu/simulated_source.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/model/observation_model.hpp"
#include "truewatt/simgpu/random.hpp"

namespace truewatt::simgpu {
namespace {

/// Jitter is cut here so that ticks keep their order.
constexpr double kWidestJitter = 0.45;

/// Of an inner period.
constexpr double kRounding = 1e-6;

/// Streams of random numbers of one source.
enum Stream : std::uint64_t { kPhase = 1, kJitter = 2, kReading = 3, kBase = 4, kInner = 5 };

std::uint64_t stream_of(std::uint64_t source, Stream stream) { return 16 * (source + 1) + stream; }

}  // namespace

SimulatedSource::SimulatedSource(const SensorDescription& sensor, const PowerSignal& signal,
                                 const PowerNoise& noise, std::uint64_t seed, std::uint64_t stream)
    : sensor_(sensor),
      power_{LaggedSignal(signal, sensor.model.time_constant.count()),
             LaggedNoise(noise, sensor.model.time_constant.count())},
      seed_(seed),
      stream_(stream),
      phase_(sensor.phase ? sensor.phase->count()
                          : sensor.model.update_period.count() *
                                random_uniform(seed, stream_of(stream, kPhase), 0)) {
  // A driver that has been up for a while: somewhere below 100 kJ.
  counter_base_ = std::floor(1e5 * random_uniform(seed, stream_of(stream, kBase), 0));
}

double SimulatedSource::jitter(std::int64_t tick) const {
  if (sensor_.jitter.count() == 0.0) return 0.0;
  const double widest = kWidestJitter * sensor_.model.update_period.count();
  const double drawn = sensor_.jitter.count() * random_normal(seed_, stream_of(stream_, kJitter),
                                                              static_cast<std::uint64_t>(tick));
  return std::clamp(drawn, -widest, widest);
}

double SimulatedSource::tick_time(std::int64_t tick) const {
  const double regular = phase_ + static_cast<double>(tick) * sensor_.model.update_period.count();
  const bool only_stamps = comes_in_ring(sensor_.source);
  return only_stamps ? regular : regular + jitter(tick);
}

double SimulatedSource::stamp_time(std::int64_t tick) const {
  return phase_ + static_cast<double>(tick) * sensor_.model.update_period.count() + jitter(tick);
}

std::int64_t SimulatedSource::tick_at(double t) const {
  auto tick =
      static_cast<std::int64_t>(std::floor((t - phase_) / sensor_.model.update_period.count()));
  while (tick_time(tick + 1) <= t) ++tick;
  while (tick_time(tick) > t) --tick;
  return tick;
}

double SimulatedSource::quantized(double value) const {
  return sensor_.quantum > 0 ? std::round(value / sensor_.quantum) * sensor_.quantum : value;
}

SimulatedSource::Published SimulatedSource::published(double t) {
  // Most polls find what the one before found; the tick's jitter need not be drawn again.
  if (newest_ && t >= newest_from_ && t < newest_until_) return *newest_;
  const std::int64_t tick = tick_at(t);
  if (!newest_ || newest_->tick != tick) newest_ = {tick, value_of(tick)};
  newest_from_ = tick_time(tick);
  newest_until_ = tick_time(tick + 1);
  return *newest_;
}

double SimulatedSource::value_of(std::int64_t tick) {
  return quantized(counts_energy(sensor_.source) ? counter_value(tick) : power_value(tick));
}

double SimulatedSource::power_value(std::int64_t tick) const {
  const double clean =
      sensor_.activity_steps > 0 ? computed_value(tick) : observed(sensor_.model, tick);
  return sensor_.noise.value() == 0.0 ? clean : clean + noise_of(tick);
}

/// As many samples as a window has.
std::int64_t SimulatedSource::samples() const {
  const ObservationModel& model = sensor_.model;
  const bool one = model.inner_period.count() == 0.0;
  return one ? 1 : std::max(1L, std::lround(model.averaging_window / model.inner_period));
}

double SimulatedSource::observed(const ObservationModel& model, std::int64_t tick) const {
  if (model.inner_period.count() == 0.0) return power_reading(model, power_, tick_time(tick));
  ObservationModel sample = model;
  sample.averaging_window = Seconds(0);
  double sum = 0.0;
  for (std::int64_t i = 0; i < samples(); ++i) {
    const double back = static_cast<double>(i) * model.inner_period.count();
    sum += power_reading(sample, power_, tick_time(tick) - back);
  }
  return sum / static_cast<double>(samples());
}

double SimulatedSource::noise_of(std::int64_t tick) const {
  // Where ticks are as far apart as samples, neighbours share all but one, noise included.
  const bool shared = sensor_.model.inner_period == sensor_.model.update_period;
  const std::int64_t count = samples();
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = shared ? tick - i : count * tick + i;
    sum += random_normal(seed_, stream_of(stream_, kReading), static_cast<std::uint64_t>(number));
  }
  return sensor_.noise.value() * sum / static_cast<double>(count);
}

double SimulatedSource::computed_value(std::int64_t tick) const {
  ObservationModel counting = sensor_.model;
  counting.gain = 1.0;
  counting.offset = Watts(0);
  const double steps = sensor_.activity_steps;
  const double counted = std::round(steps * observed(counting, tick));
  return sensor_.model.gain * counted / steps + sensor_.model.offset.value();
}

double SimulatedSource::counter_value(std::int64_t tick) {
  const double time = tick_time(tick);
  if (time < reset_at_) return counter_base_ + counted(time);
  if (!base_at_reset_) base_at_reset_ = counted(reset_at_);
  return counted(time) - *base_at_reset_;
}

double SimulatedSource::counted(double until) {
  const double period = sensor_.model.inner_period.count();
  if (period == 0.0) return exact_counter(sensor_.model, power_, until);
  // Inner observations stand on the counter's own ticks: phase + i * period.
  const double first = phase_ - std::floor(phase_ / period) * period;
  // One that stands on the tick is in it, whatever rounding says.
  until += kRounding * period;
  if (until < first) {
    // A tick that was held when the GPU was opened: what it had yet to count.
    double before = 0.0;
    for (std::int64_t i = -1; first + static_cast<double>(i) * period > until; --i) {
      before += inner_reading(first, i) * period;
    }
    return -before;
  }
  for (; first + static_cast<double>(inner_tick_) * period <= until; ++inner_tick_) {
    inner_sum_ += inner_reading(first, inner_tick_) * period;
  }
  return inner_sum_;
}

double SimulatedSource::inner_reading(double first, std::int64_t tick) const {
  const double period = sensor_.model.inner_period.count();
  const double reading =
      power_reading(sensor_.model, power_, first + static_cast<double>(tick) * period);
  if (sensor_.noise.value() == 0.0) return reading;
  return reading + sensor_.noise.value() * random_normal(seed_, stream_of(stream_, kInner),
                                                         static_cast<std::uint64_t>(tick));
}

}  // namespace truewatt::simgpu
