#include "truewatt/testing/random_program.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {
namespace {

HostTime host_time(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds + 100.0))); }

Interval around(double value, double half) { return {value, value - half, value + half, 0.95}; }

TestSensor ring() {
  return {
      {SourceKind::power_samples, Scope::gpu},
      {.update_period = Seconds(0.02), .time_constant = Seconds(0.0128), .delay = Seconds(0.003)},
      0.0,
      0.4};
}
TestSensor counter(double time_constant, double period = 0.1) {
  return {{SourceKind::energy_counter, Scope::gpu},
          {.update_period = Seconds(period),
           .time_constant = Seconds(time_constant),
           .delay = Seconds(0.002)},
          0.0005,
          0.0};
}
TestSensor instant(double window) {
  return {
      {SourceKind::power_instant, Scope::gpu},
      {.update_period = Seconds(0.1), .averaging_window = Seconds(window), .delay = Seconds(0.004)},
      0.0003,
      0.4};
}
TestSensor average() {
  return {
      {SourceKind::power_average, Scope::gpu},
      {.update_period = Seconds(0.1), .averaging_window = Seconds(1.0), .delay = Seconds(0.004)},
      0.0003,
      0.2};
}

}  // namespace

std::vector<TestSensor> sensors_of(const std::string& kind) {
  if (kind == "h200") return {ring(), counter(0.0128)};
  if (kind == "ring") return {ring()};
  if (kind == "a100") return {instant(0.025)};
  if (kind == "a100+counter") return {instant(0.025), counter(0.0)};
  if (kind == "a100+average") return {instant(0.025), average()};
  if (kind == "boxcar") return {instant(0.1)};
  if (kind == "average") return {average()};
  if (kind == "counter") return {counter(0.0)};
  return {};
}

std::vector<TestSensor> random_sensors(std::mt19937_64& rng) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto log_uniform = [&](double low, double high) {
    return low * std::pow(high / low, unit(rng));
  };
  const double period = log_uniform(0.01, 0.25);
  const double lag = unit(rng) < 0.5 ? 0.0 : log_uniform(0.002, 0.3);
  TestSensor power{{SourceKind::power_instant, Scope::gpu},
                   {.update_period = Seconds(period),
                    .averaging_window = Seconds(period * log_uniform(0.1, 2.0)),
                    .time_constant = Seconds(lag),
                    .delay = Seconds(0.01 * unit(rng))}};
  power.jitter = 0.02 * period * unit(rng);
  power.noise = 2.0 * unit(rng);
  power.quantum = unit(rng) < 0.3 ? 1.0 : 0.001;
  power.bracket = log_uniform(0.001, 0.02);
  std::vector<TestSensor> sensors{power};
  if (unit(rng) < 0.5) {
    sensors.push_back(counter(lag, log_uniform(0.02, 0.1)));
    sensors.back().bracket = power.bracket;
    sensors.back().gain = 1 + 0.002 * (2 * unit(rng) - 1);
  }
  if (unit(rng) < 0.33) {
    sensors.push_back(average());
    sensors.back().model.time_constant = Seconds(lag);
    sensors.back().bracket = power.bracket;
    sensors.back().gain = 1 + 0.002 * (2 * unit(rng) - 1);
  }
  return sensors;
}

HostTime program_begin() { return host_time(0.0); }

PowerSignal TestProgram::signal() const {
  PowerSignal power(idle_w, {1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < work.size(); ++i) {
    power.append({work[i].begin, work[i].watts, {}});
    const bool goes_on = i + 1 < work.size() && work[i + 1].begin <= work[i].end;
    if (!goes_on) power.append({work[i].end, idle_w, {}});
  }
  return power;
}

double TestProgram::energy(double begin, double end) const {
  double joules = idle_w * (end - begin);
  for (const Work& one : work) {
    const double inside = std::min(one.end, end) - std::max(one.begin, begin);
    if (inside > 0) joules += inside * (one.watts - idle_w);
  }
  return joules;
}

TestProgram random_program(std::mt19937_64& rng, double length) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto log_uniform = [&](double low, double high) {
    return low * std::pow(high / low, unit(rng));
  };
  TestProgram program{.idle_w = 40 + 80 * unit(rng), .length = length};
  const double range = 150 + 450 * unit(rng);
  double t = unit(rng) < 0.5 ? 0.5 + unit(rng) : 0.0;
  while (t < length - 0.01) {
    const double what = unit(rng);
    if (what < 0.1) {  // idle
      t += 0.5 + unit(rng);
    } else if (what < 0.25) {  // a plateau whose level moves a little
      const double level = program.idle_w + range * (0.2 + 0.8 * unit(rng));
      const double end = std::min(length, t + 0.5 + 2 * unit(rng));
      while (t < end) {
        const double until = std::min(end, t + log_uniform(0.01, 0.3));
        program.work.push_back({t, until, level * (1 + 0.1 * (unit(rng) - 0.5))});
        t = until;
      }
    } else {  // pulses
      const double level = program.idle_w + range * (0.2 + 0.8 * unit(rng));
      const int count = 1 + static_cast<int>(4 * unit(rng));
      for (int i = 0; i < count && t < length - 0.01; ++i) {
        const double end = std::min(length, t + log_uniform(0.004, 1.2));
        program.work.push_back({t, end, level});
        t = end + log_uniform(0.002, 0.8);
      }
    }
  }
  return program;
}

Recording record(const TestProgram& program, const std::vector<TestSensor>& sensors,
                 std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const PowerSignal power = program.signal();
  Recording recording;
  recording.device = {0, "sim:random", "GPU-random", "", "simulated"};
  for (const TestSensor& sensor : sensors) {
    const ObservationModel& model = sensor.model;
    const LaggedSignal lagged(power, model.time_constant.count());
    const bool counts = counts_energy(sensor.source);
    const bool is_ring = comes_in_ring(sensor.source);
    const double period = model.update_period.count();
    Trace trace{.source = sensor.source,
                .begin = host_time(0.0),
                .end = host_time(program.length),
                .polls = static_cast<std::uint64_t>(program.length / sensor.bracket)};
    double shown = -1.0;
    double before = 0.0;
    double polled = 0.0;
    for (double tick = unit(rng) * period; tick < program.length; tick += period) {
      const double at = tick + (is_ring ? 0.0 : sensor.jitter * normal(rng));
      double value =
          counts ? 5000 + sensor.gain * exact_counter(model, lagged, at)
                 : sensor.gain * power_reading(model, lagged, at) + sensor.noise * normal(rng);
      value = std::round(value / sensor.quantum) * sensor.quantum;
      if (is_ring) {
        const double late = unit(rng) < 0.17 ? 0.003 + 0.011 * unit(rng) : 0.0;
        trace.samples.push_back({host_time(at + late), host_time(at + late), std::nullopt, value});
        continue;
      }
      while (polled < at) {
        before = polled;
        polled += sensor.bracket * (0.7 + 0.6 * unit(rng));
      }
      // A poll shows the newest value alone.
      const bool is_replaced = tick + period < polled;
      if (value == shown || is_replaced) continue;
      shown = value;
      trace.samples.push_back({host_time(before), host_time(polled), std::nullopt, value});
    }
    recording.traces.push_back(std::move(trace));
  }
  return recording;
}

Profile profile_of(const std::vector<TestSensor>& sensors) {
  Profile profile;
  for (const TestSensor& sensor : sensors) {
    const ObservationModel& model = sensor.model;
    const bool counts = counts_energy(sensor.source);
    const double lag = model.time_constant.count();
    const double window = model.averaging_window.count();
    const double age = model.delay.count() + lag + (counts ? 0.0 : window / 2);
    SourceProfile source{.source = sensor.source};
    source.update_period_s = around(model.update_period.count(), 1e-6);
    source.fitted =
        FittedModel{around(window, 0.01 * window), around(lag, 0.01 * lag), around(age, 0.3e-3)};
    if (counts) source.counter = CounterProfile{.counting = Counting::all};
    profile.sources.push_back(source);
  }
  return profile;
}

Profile characterized(const std::vector<TestSensor>& sensors, std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  Profile profile = profile_of(sensors);
  const auto move = [&](Interval& of) {
    const double by = normal(rng) * (of.upper - of.lower) / (2 * kCoverageFactor95);
    of = {of.value + by, of.lower + by, of.upper + by, of.level};
  };
  for (SourceProfile& source : profile.sources) {
    move(source.fitted->averaging_window_s);
    move(source.fitted->time_constant_s);
    move(source.fitted->age_s);
  }
  return profile;
}

}  // namespace truewatt::energy
