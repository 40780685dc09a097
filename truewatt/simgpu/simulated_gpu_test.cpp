#include "truewatt/simgpu/simulated_gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace truewatt::simgpu {
namespace {

constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};

/// A quiet device with the given sensors, idle 50 W, max 250 W, no sleep.
DeviceDescription quiet(std::vector<SensorDescription> sensors) {
  DeviceDescription device;
  device.name = "quiet";
  device.board = {.sleep = Watts(50), .idle = Watts(50), .max = Watts(250), .noise = Watts(0)};
  device.sensors = std::move(sensors);
  return device;
}

SensorDescription sensor(SourceId source, ObservationModel model) {
  SensorDescription description{.source = source, .model = model};
  description.quantum = 0;
  description.phase = Seconds(0);
  return description;
}

/// The newest reading at each of these times, watts.
std::vector<double> readings_at(const DeviceDescription& device, const std::vector<double>& times) {
  SimulatedGpu gpu(device, 1);
  gpu.play({.steps = {{2.0, 0.5}, {3.0, 1.0}}, .end = 5.0});
  std::vector<double> values;
  for (const double t : times) values.push_back(gpu.read(kInstant, t)->value);
  return values;
}

TEST(SimulatedGpu, ComputedReadingsCountActivityInSteps) {
  auto counted =
      sensor(kInstant, {.update_period = Seconds(0.1), .averaging_window = Seconds(0.1)});
  counted.activity_steps = 8;
  counted.model.gain = 0.9;
  counted.model.offset = Watts(3);
  auto device = quiet({counted});
  // 0.9 * (50 W + activity * 200 W) + 3 W; half a window of half activity is two of eight steps.
  const auto values = readings_at(device, {1.95, 2.05, 2.15, 3.15, 5.15});
  const std::vector<double> expected = {48.0, 48.0, 138.0, 228.0, 48.0};
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-9) << i;
  counted.phase = Seconds(0.05);
  device = quiet({counted});
  EXPECT_NEAR(readings_at(device, {2.06}).front(), 48.0 + 2.0 / 8 * 180.0, 1e-9);
}

TEST(SimulatedGpu, ComputedReadingsShowNothingOfTheBoard) {
  auto counted =
      sensor(kInstant, {.update_period = Seconds(0.01), .averaging_window = Seconds(0.01)});
  counted.activity_steps = 16;
  DeviceDescription ideal = quiet({counted});
  DeviceDescription real = ideal;
  real.board.sleep = Watts(10);
  real.board.rise_time_constant = Seconds(0.2);
  real.board.overshoot = 0.1;
  real.board.active_idle = Watts(80);
  real.board.active_idle_hold = Seconds(2);
  real.board.drift = Watts(12);
  real.board.noise = Watts(2);
  std::vector<double> times;
  for (int i = 0; i < 900; ++i) times.push_back(0.01 * i);
  EXPECT_EQ(readings_at(real, times), readings_at(ideal, times));
}

// ---- Brute force: the definition of the design, stepped in time. It shares no code with the
// ---- closed forms.

struct BruteBoard {
  const BoardDescription& board;
  double target = 0, r = 0, o = 0, drift = 0, load_end = -1;
  double step(double level, bool context, double t, double h) {
    const double idle = board.idle.value();
    double goal = context ? idle : board.sleep.value();
    if (level > 0) goal = idle + level * (board.max.value() - idle);
    if (level > 0) load_end = -1;
    if (level <= 0 && was_loaded) load_end = t;
    was_loaded = level > 0;
    if (level <= 0 && load_end >= 0 && board.active_idle) {
      const double since = t - load_end - board.active_idle_hold.count();
      const int steps = since < 0 ? 0 : 1 + static_cast<int>(since / board.step_down.count());
      const double active = board.active_idle->value();
      if (steps < kActiveIdleSteps) goal = active - (active - idle) * steps / kActiveIdleSteps;
    }
    const double d = goal - target;
    if (d > 0) {
      if (board.rise_time_constant.count() > 0) r += board.rise_fraction * d;
      o += board.overshoot * d;
    }
    if (d < 0) r = o = 0;
    target = goal;
    const double power = target - r + o + drift;
    if (board.rise_time_constant.count() > 0) r *= std::exp(-h / board.rise_time_constant.count());
    o *= std::exp(-h / board.overshoot_time_constant.count());
    const double aim = board.drift.value() * level;
    drift = aim + (drift - aim) * std::exp(-h / board.drift_time_constant.count());
    return power;
  }
  bool was_loaded = false;
};

struct BruteTrace {
  double h;
  std::vector<double> lagged;  // z at i*h
  std::vector<double> sums;    // integral of z to i*h
  double mean(double from, double to) const { return (sum(to) - sum(from)) / (to - from); }
  double sum(double t) const {
    const double x = t / h;
    const auto i = static_cast<std::size_t>(x);
    return sums[i] + (x - static_cast<double>(i)) * (sums[i + 1] - sums[i]);
  }
  double at(double t) const {
    const double x = t / h;
    const auto i = static_cast<std::size_t>(x);
    return lagged[i] + (x - static_cast<double>(i)) * (lagged[i + 1] - lagged[i]);
  }
};

BruteTrace brute(const BoardDescription& board, const Play& play, double lag, double until,
                 double h) {
  BruteBoard walk{board, board.sleep.value()};
  BruteTrace trace{h, {board.sleep.value()}, {0.0}};
  const double decay = lag > 0 ? std::exp(-h / lag) : 0.0;
  for (std::size_t i = 0; static_cast<double>(i) * h < until; ++i) {
    const double t = (static_cast<double>(i) + 1e-6) * h;
    const bool context = t >= play.steps.front().at - 1.0 && t < play.end + 1.0;
    double level = 0.0;
    for (const LevelStep& step : play.steps) {
      if (t >= step.at && t < play.end) level = step.level;
    }
    const double power = walk.step(level, context, t, h);
    const double z = lag > 0 ? power + (trace.lagged.back() - power) * decay : power;
    trace.sums.push_back(trace.sums.back() + (trace.lagged.back() + z) / 2 * h);
    trace.lagged.push_back(z);
  }
  return trace;
}

TEST(SimulatedGpu, ReadingsAgreeWithBruteForceOnRandomDevicesAndLoads) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int trial = 0; trial < 25; ++trial) {
    DeviceDescription device = quiet({});
    BoardDescription& board = device.board;
    board.sleep = Watts(20 + 30 * unit(rng));
    board.rise_time_constant = Seconds(trial % 3 == 0 ? 0.0 : 0.02 + 0.3 * unit(rng));
    board.rise_fraction = unit(rng);
    board.overshoot = 0.3 * unit(rng);
    board.overshoot_time_constant = Seconds(0.02 + 0.2 * unit(rng));
    board.drift = Watts(10 * unit(rng));
    board.drift_time_constant = Seconds(1 + 5 * unit(rng));
    if (trial % 2 == 0) {
      board.active_idle = Watts(70);
      board.active_idle_hold = Seconds(0.2);
      board.step_down = Seconds(0.3);
    }
    ObservationModel model{.update_period = Seconds(0.02 + 0.1 * unit(rng)),
                           .averaging_window = Seconds(0.005 + 0.2 * unit(rng)),
                           .time_constant = Seconds(trial % 4 == 0 ? 0.0 : 0.01 + unit(rng)),
                           .delay = Seconds(0.03 * unit(rng)),
                           .gain = 0.9 + 0.2 * unit(rng),
                           .offset = Watts(5 * unit(rng))};
    device.sensors = {sensor(kInstant, model)};
    // Edges on the brute force's grid, so that both see them at the same time.
    const double h = 1e-4;
    Play play;
    double t = 1.5;
    for (int i = 0; i < 8; ++i) {
      play.steps.push_back({std::round(t / h) * h, i % 2 == 0 ? 0.2 + 0.8 * unit(rng) : 0.0});
      t += 0.02 + 0.3 * unit(rng);
    }
    play.end = std::round(t / h) * h;
    const BruteTrace oracle = brute(board, play, model.time_constant.count(), 6.0, h);
    SimulatedGpu gpu(device, 1);
    gpu.play(play);
    // Stepping at 0.1 ms misplaces a jump's trapezoid by half a step: 200 W * 0.05 ms / W_window,
    // and a drift or decay by h/tau of its size.
    const double tolerance = 300 * (0.5 * h / model.averaging_window.count() + h / 0.02) + 1e-9;
    for (double tick = model.update_period.count() * std::ceil(0.5 / model.update_period.count());
         tick < 5.5; tick += model.update_period.count()) {
      const double end = tick - model.delay.count();
      const double expected = model.gain * oracle.mean(end - model.averaging_window.count(), end) +
                              model.offset.value();
      const auto answer = gpu.read(kInstant, tick + 1e-7);
      ASSERT_TRUE(answer);
      EXPECT_NEAR(answer->value, expected, tolerance) << "trial " << trial << " tick " << tick;
    }
  }
}

TEST(SimulatedGpu, CounterAddsUpTheTrueEnergy) {
  SimulatedGpu gpu(quiet({sensor(kCounter, {.update_period = Seconds(0.1)})}), 1);
  gpu.play({.steps = {{2.0, 1.0}}, .end = 3.0});
  const double before = gpu.read(kCounter, 1.9500001)->value;
  const double after = gpu.read(kCounter, 5.0500001)->value;
  EXPECT_NEAR(after - before, 50 * 0.1 + 50 * 2.0 + 250 * 1.0, 1e-6);  // ticks 1.9 and 5.0
  EXPECT_NEAR(gpu.true_energy(1.9, 5.0), after - before, 1e-6);
}

TEST(SimulatedGpu, InnerObservationsOfACounterMissWhatTheyDoNotSee) {
  // Bursts of 5 ms every 100 ms, inner observations every 50 ms: none falls into a burst.
  SimulatedGpu gpu(
      quiet({sensor(kCounter, {.update_period = Seconds(0.1), .inner_period = Seconds(0.05)})}), 1);
  Play play;
  for (int i = 0; i < 10; ++i) {
    play.steps.push_back({2.01 + 0.1 * i, 1.0});
    play.steps.push_back({2.015 + 0.1 * i, 0.0});
  }
  play.end = 3.0;
  gpu.play(play);
  const double before = gpu.read(kCounter, 1.95)->value;
  const double after = gpu.read(kCounter, 3.95)->value;
  EXPECT_NEAR(after - before, 50 * 2.0, 1e-6);
  EXPECT_NEAR(gpu.true_energy(1.9, 3.9), 50 * 2.0 + 200 * 0.05, 1e-6);
}

TEST(SimulatedGpu, AnAverageOfTheRingsSamplesIsTheirMean) {
  SensorDescription ring =
      sensor({SourceKind::power_samples, Scope::gpu},
             {.update_period = Seconds(0.02), .time_constant = Seconds(0.013)});
  ring.phase = std::nullopt;
  ring.noise = Watts(0.3);
  SensorDescription average = ring;
  average.source.kind = SourceKind::power_average;
  average.model.averaging_window = Seconds(1.0);
  average.model.inner_period = Seconds(0.02);
  SimulatedGpu gpu(quiet({average, ring}), 1);
  Play play;  // bursts that beat with the samples
  for (int i = 0; i < 60; ++i) {
    play.steps.push_back({2.0 + 0.031 * i, 1.0});
    play.steps.push_back({2.008 + 0.031 * i, 0.0});
  }
  play.end = 4.0;
  gpu.play(play);
  for (const double t : {1.0, 2.5, 3.13, 4.5}) {
    const auto entries = gpu.samples(-1.0, t)->entries;
    ASSERT_GE(entries.size(), 50U);
    double sum = 0.0;
    for (std::size_t i = entries.size() - 50; i < entries.size(); ++i) sum += entries[i].value;
    EXPECT_NEAR(gpu.read(average.source, t)->value, sum / 50, 1e-9) << t;
  }
}

TEST(SimulatedGpu, PublishesAtItsTicksOnly) {
  SimulatedGpu gpu(quiet({sensor(kInstant, {.update_period = Seconds(0.1)})}), 1);
  gpu.play({.steps = {{2.05, 1.0}}, .end = 3.0});
  EXPECT_DOUBLE_EQ(gpu.read(kInstant, 2.0999)->value, 50);
  EXPECT_DOUBLE_EQ(gpu.read(kInstant, 2.1001)->value, 250);
}

TEST(SimulatedGpu, AnswersDependOnTheSeedAndNotOnWhoAskedBefore) {
  const auto device = builtin_device("h200").value();
  SimulatedGpu a(device, 5);
  SimulatedGpu b(device, 5);
  SimulatedGpu c(device, 6);
  const SourceId samples{SourceKind::power_samples, Scope::gpu};
  for (double t = 0.01; t < 1.0; t += 0.01) (void)a.read(kInstant, t);
  const double a_value = a.samples(-1.0, 2.0)->entries.back().value;
  EXPECT_EQ(a_value, b.samples(-1.0, 2.0)->entries.back().value) << to_string(samples);
  EXPECT_NE(a.samples(-1.0, 2.0)->entries.back().stamp, c.samples(-1.0, 2.0)->entries.back().stamp);
}

TEST(SimulatedGpu, NoiseHasItsStandardDeviationAndIsInTheTruth) {
  DeviceDescription device = quiet({sensor(kInstant, {.update_period = Seconds(0.05)})});
  device.board.noise = Watts(2.0);
  SimulatedGpu gpu(device, 3);
  double sum = 0, squares = 0;
  const int n = 4000;  // 50 ms apart = 5 correlation times: independent
  for (int i = 0; i < n; ++i) {
    const double value = gpu.read(kInstant, 0.05 * (i + 1) + 1e-6)->value - 50;
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / n, 0.0, 4 * 2.0 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 2.0, 4 * 2.0 / std::sqrt(2.0 * n));
  EXPECT_NE(gpu.true_energy(0, 1), 50.0);
  EXPECT_NEAR(gpu.true_energy(0, 200), 50.0 * 200, 4 * 2.0 * std::sqrt(2 * 0.01 * 200));
}

TEST(SimulatedGpu, ClientCacheIsRefreshedByTheCallThatFindsItStale) {
  SensorDescription cached = sensor(kInstant, {.update_period = Seconds(0.001)});
  cached.client_cache = Seconds(0.1);
  cached.call_cost = Seconds(0.0024);
  cached.client_double = true;
  SimulatedGpu gpu(quiet({cached}), 1);
  gpu.play({.steps = {{2.0, 1.0}}, .end = 3.0});
  (void)gpu.read(kInstant, 1.9);
  EXPECT_DOUBLE_EQ(gpu.read(kInstant, 1.999)->value, 50);
  const auto refreshing = gpu.read(kInstant, 2.0025);
  EXPECT_DOUBLE_EQ(refreshing->cost_s, 0.0024);
  const auto next = gpu.read(kInstant, 2.005);
  EXPECT_DOUBLE_EQ(next->cost_s, 0.0);
  EXPECT_DOUBLE_EQ(next->value, 250);
  EXPECT_DOUBLE_EQ(gpu.read(kInstant, 2.1)->value, next->value);
}

TEST(SimulatedGpu, RingKeepsItsNewestEntriesInOrder) {
  SensorDescription ring =
      sensor({SourceKind::power_samples, Scope::gpu}, {.update_period = Seconds(0.02)});
  ring.ring = 10;
  SimulatedGpu gpu(quiet({ring}), 1);
  const auto all = gpu.samples(-1.0, 5.0);
  ASSERT_EQ(all->entries.size(), 10U);
  EXPECT_TRUE(std::is_sorted(all->entries.begin(), all->entries.end(),
                             [](auto& a, auto& b) { return a.stamp < b.stamp; }));
  const double since = all->entries[6].stamp;
  EXPECT_EQ(gpu.samples(since, 5.0)->entries.size(), 3U);
}

TEST(SimulatedGpu, TheCounterHeldAtItsStartHasCountedTillThen) {
  for (const double inner : {0.0, 0.02}) {
    auto counter =
        sensor(kCounter, {.update_period = Seconds(0.1), .inner_period = Seconds(inner)});
    counter.phase = Seconds(0.05);
    SimulatedGpu gpu(quiet({counter}), 1);
    const double held = gpu.read(kCounter, 0.01)->value;
    EXPECT_NEAR(gpu.read(kCounter, 0.06)->value - held, 50 * 0.1, 1e-6) << inner;
    EXPECT_NEAR(gpu.read(kCounter, 1.06)->value - held, 50 * 1.1, 1e-6) << inner;
  }
}

/// The context of a load wakes the board, and not before anybody knew of it.
TEST(SimulatedGpu, ALoadChangesNothingThatWasRead) {
  DeviceDescription device = quiet({sensor(kCounter, {.update_period = Seconds(0.001)})});
  device.board.sleep = Watts(20);
  SimulatedGpu gpu(device, 1);
  const double before = gpu.read(kCounter, 2.0)->value;
  gpu.play({.steps = {{2.3, 1.0}}, .end = 3.0});
  EXPECT_NEAR(gpu.read(kCounter, 2.0)->value, before, 1e-9);
  EXPECT_NEAR(gpu.read(kCounter, 2.1)->value - before, 50 * 0.1, 0.1);
}

TEST(SimulatedGpu, FaultsAnswerAsTheDriverWould) {
  DeviceDescription device = quiet({sensor(kInstant, {}), sensor(kCounter, {})});
  device.faults.denied = {SourceKind::power_instant};
  device.faults.gpu_lost = Seconds(5);
  device.faults.counter_reset = Seconds(3);
  device.faults.stalls = {{Seconds(1), Seconds(0.5)}};
  SimulatedGpu gpu(device, 1);
  EXPECT_EQ(gpu.read(kInstant, 0.5).error().code, Errc::permission);
  EXPECT_NEAR(gpu.read(kCounter, 1.2)->cost_s, 0.3, 1e-12);
  const double before = gpu.read(kCounter, 2.95)->value;
  EXPECT_LT(gpu.read(kCounter, 3.45)->value, before);
  EXPECT_NEAR(gpu.read(kCounter, 3.95)->value, 50 * 0.9, 1e-6);
  EXPECT_EQ(gpu.read(kCounter, 5.1).error().code, Errc::device);
  EXPECT_EQ(gpu.read({SourceKind::power_average, Scope::gpu}, 1.0).error().code, Errc::unsupported);
}

TEST(SimulatedGpu, SuperchipInstantIsTheModules) {
  SimulatedGpu gpu(builtin_device("gh200").value(), 1);
  // 70 W sleeping GPU + 80 W idle CPU.
  EXPECT_NEAR(gpu.read(kInstant, 1.0)->value, 150, 2);
  EXPECT_NEAR(gpu.read({SourceKind::power_average, Scope::gpu}, 2.0)->value, 70, 2);
  EXPECT_NEAR(gpu.read({SourceKind::power_instant, Scope::cpu}, 2.0)->value, 80, 1);
}

TEST(SimulatedGpu, CpuWorkIsSeenByTheModulesSourcesAlone) {
  SimulatedGpu gpu(builtin_device("gh200").value(), 1);
  gpu.play_cpu({.steps = {{2.0, 1.0}}, .end = 6.0});
  // 80 W idle CPU to 300 W.
  EXPECT_NEAR(gpu.read(kInstant, 5.0)->value, 370, 2);
  EXPECT_NEAR(gpu.read({SourceKind::power_average, Scope::module}, 5.0)->value, 370, 2);
  EXPECT_NEAR(gpu.read({SourceKind::power_instant, Scope::cpu}, 5.0)->value, 300, 1);
  EXPECT_NEAR(gpu.read({SourceKind::power_average, Scope::gpu}, 5.0)->value, 70, 2);
  EXPECT_NEAR(gpu.true_energy(2.0, 6.0), 70 * 4, 1);
  EXPECT_FALSE(gpu.state(5.0)->context);
}

TEST(SimulatedGpu, AnAliasShowsWhatItsSourceShows) {
  SimulatedGpu gpu(builtin_device("gh200").value(), 7);
  gpu.play({.steps = {{2.0, 1.0}}, .end = 6.0});
  for (int i = 0; i < 200; ++i) {
    const double t = 0.037 * i;
    EXPECT_EQ(gpu.read({SourceKind::power_usage, Scope::gpu}, t)->value,
              gpu.read({SourceKind::power_average, Scope::gpu}, t)->value);
  }
}

}  // namespace
}  // namespace truewatt::simgpu
