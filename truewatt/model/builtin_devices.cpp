// The built-in simulated devices. Sources of the numbers: "Fig. 14" is Yang, Adamek, Armour
// (SC'24), Fig. 14, with the decoded codes of its data; "Fig. 9" the same paper's gains and
// offsets; "Burtscher 2014" is Burtscher, Zecena, Zong (GPGPU-7, 2014); "metered" are fits to that
// paper's public meter traces of an A100, an RTX 3090 and a K40m; "measured" are our own traces of
// an H200 (driver 580). Where Fig. 14 and a metered fit disagree, the fit wins
// (docs/architecture.md).
#include <array>
#include <utility>

#include "truewatt/model/device_description.hpp"
#include "truewatt/model/instruction_energies.hpp"

namespace truewatt {
namespace {

using std::chrono::milliseconds;

constexpr Seconds operator""_s(long double value) { return Seconds(static_cast<double>(value)); }

/// The first-order filter of GA100 and Hopper, metered on an A100 and measured on an H200.
constexpr Seconds kFilter{0.013};

struct Board {
  double gain = 1.0;
  Watts offset{0};
};

SensorDescription boxcar(SourceKind kind, Seconds period, Seconds window, Board board = {}) {
  SensorDescription sensor{.source = {kind, Scope::gpu}};
  sensor.model = {.update_period = period,
                  .averaging_window = window,
                  .gain = board.gain,
                  .offset = board.offset};
  sensor.jitter = period * 0.002;
  sensor.noise = Watts(0.1);
  return sensor;
}

SensorDescription filtered(SourceKind kind, Seconds period, Seconds time_constant,
                           Board board = {}) {
  SensorDescription sensor = boxcar(kind, period, Seconds(0), board);
  sensor.model.time_constant = time_constant;
  return sensor;
}

/// A counter that sums millisecond readings behind a filter, as measured on an H200.
SensorDescription counter(Seconds period, Seconds time_constant, Board board = {}) {
  SensorDescription sensor{.source = {SourceKind::energy_counter, Scope::gpu}};
  sensor.model = {.update_period = period,
                  .averaging_window = Seconds(0),
                  .time_constant = time_constant,
                  .delay = 0.0015_s,
                  .gain = board.gain,
                  .offset = board.offset,
                  .inner_period = milliseconds(1)};
  sensor.jitter = 0.0005_s;
  return sensor;
}

DeviceDescription k20() {
  // Burtscher 2014: 66.7 Hz, C = 0.84 s, active idle 52.5 W held for 3.5 s, then down once a
  // second; 158 W under n-body on a K20c.
  DeviceDescription device{.name = "k20"};
  device.board = {.sleep = Watts(25), .idle = Watts(25), .max = Watts(158)};
  device.board.active_idle = Watts(52.5);
  device.board.active_idle_hold = 3.5_s;
  device.sensors = {filtered(SourceKind::power_usage, milliseconds(15), 0.84_s)};
  return device;
}

DeviceDescription k40() {
  // Metered: first-order filter of 52 ms, gain 1.0192, offset 0.9 W. Update 15 ms (K40m's row).
  DeviceDescription device{.name = "k40"};
  device.board = {.sleep = Watts(20), .idle = Watts(60), .max = Watts(180)};
  device.sensors = {
      filtered(SourceKind::power_usage, milliseconds(15), 0.052_s, {1.0192, Watts(0.9)})};
  return device;
}

DeviceDescription p100() {
  // Fig. 14, Pascal: instant, 20 ms, 10 ms window. Fig. 9: -0.72 %, 0.88 W. No counter before
  // Volta.
  DeviceDescription device{.name = "p100"};
  device.board = {.sleep = Watts(26), .idle = Watts(31), .max = Watts(250)};
  device.board.rise_time_constant = milliseconds(20);
  device.board.rise_fraction = 0.3;
  const Board board{0.9928, Watts(0.88)};
  device.sensors = {boxcar(SourceKind::power_usage, milliseconds(20), milliseconds(10), board),
                    boxcar(SourceKind::power_instant, milliseconds(20), milliseconds(10), board)};
  return device;
}

DeviceDescription v100() {
  // Fig. 14, Volta: instant, 20 ms, 10 ms window; Volta is the first with an energy counter.
  DeviceDescription device{.name = "v100"};
  device.board = {.sleep = Watts(24), .idle = Watts(40), .max = Watts(300)};
  device.board.rise_time_constant = milliseconds(30);
  device.board.rise_fraction = 0.3;
  device.sensors = {boxcar(SourceKind::power_usage, milliseconds(20), milliseconds(10)),
                    boxcar(SourceKind::power_instant, milliseconds(20), milliseconds(10)),
                    counter(milliseconds(20), Seconds(0))};
  return device;
}

DeviceDescription turing() {
  // Fig. 14, Turing: instant, 100 ms, 100 ms window. Fig. 9, RTX 2080 Ti: -3.34 %, -5.8 W.
  DeviceDescription device{.name = "turing"};
  device.board = {.sleep = Watts(15), .idle = Watts(55), .max = Watts(260)};
  device.board.rise_time_constant = milliseconds(80);
  device.board.rise_fraction = 0.4;
  const Board board{0.9666, Watts(-5.8)};
  device.sensors = {boxcar(SourceKind::power_usage, milliseconds(100), milliseconds(100), board),
                    boxcar(SourceKind::power_instant, milliseconds(100), milliseconds(100), board),
                    counter(milliseconds(100), Seconds(0), board)};
  return device;
}

/// Ampere and Ada GeForce, Fig. 14 after driver 530: usage and average over 1 s, instant 100/100.
DeviceDescription geforce(std::string name, BoardDescription power, Board board) {
  DeviceDescription device{.name = std::move(name)};
  device.board = power;
  device.sensors = {boxcar(SourceKind::power_usage, milliseconds(100), milliseconds(1000), board),
                    boxcar(SourceKind::power_average, milliseconds(100), milliseconds(1000), board),
                    boxcar(SourceKind::power_instant, milliseconds(100), milliseconds(100), board),
                    counter(milliseconds(100), Seconds(0), board)};
  return device;
}

DeviceDescription rtx3090() {
  // Metered: gain 0.951, offset 0.0 W, plateau 440 W, rise mostly at once and the rest by 200 ms.
  BoardDescription power{.sleep = Watts(30), .idle = Watts(127), .max = Watts(440)};
  power.rise_time_constant = milliseconds(80);
  power.rise_fraction = 0.3;
  return geforce("rtx3090", power, {0.951, Watts(0.0)});
}

DeviceDescription rtx4090() {
  // Fig. 9: +4.45 %, -12.35 W; metered plateau 388 W, rise finished at 308 ms.
  BoardDescription power{.sleep = Watts(20), .idle = Watts(60), .max = Watts(388)};
  power.rise_time_constant = milliseconds(120);
  power.rise_fraction = 0.45;
  return geforce("rtx4090", power, {1.0445, Watts(-12.35)});
}

DeviceDescription a100() {
  // Metered: 13 ms filter sampled every 100 ms (Fig. 14 calls it a 25 ms window), gain 0.9585,
  // offset -2.2 W, plateau 200 W. power.usage is the instant reading on GA100; no average.
  DeviceDescription device{.name = "a100"};
  device.board = {.sleep = Watts(45), .idle = Watts(57), .max = Watts(200)};
  const Board board{0.9585, Watts(-2.2)};
  device.sensors = {filtered(SourceKind::power_usage, milliseconds(100), kFilter, board),
                    filtered(SourceKind::power_instant, milliseconds(100), kFilter, board),
                    counter(milliseconds(100), kFilter, board)};
  for (SensorDescription& sensor : device.sensors) {
    if (!counts_energy(sensor.source)) sensor.model.delay = 0.0025_s;
  }
  return device;
}

/// What a client sees of a reading that a call refreshes at most every 100 ms.
SensorDescription cached(SensorDescription sensor, bool client_double, Seconds refresh) {
  sensor.client_cache = milliseconds(100);
  sensor.client_double = client_double;
  sensor.call_cost = refresh;
  return sensor;
}

/// Hopper's ring of samples: 3.5 ms before the stamp, which is 1.4 ms after the tick.
SensorDescription hopper_ring() {
  SensorDescription samples = filtered(SourceKind::power_samples, milliseconds(20), kFilter);
  samples.model.delay = 0.0021_s;
  samples.jitter = 0.0006_s;
  samples.noise = Watts(0.3);
  samples.quantum = 0.35;
  return samples;
}

SensorDescription hopper_instant() {
  SensorDescription instant = filtered(SourceKind::power_instant, milliseconds(1), kFilter);
  instant.model.delay = 0.016_s;
  instant.jitter = Seconds(0);
  instant.noise = Watts(0.3);
  return instant;
}

DeviceDescription h100() {
  // Power as Fig. 14's board. Sources as measured on four H100 80GB HBM3 (driver 580): a ring every
  // 20 ms behind a filter of 12.5 to 13.0 ms, a complete counter, averages over 1 s of the ring's
  // samples, an instant reading that a client sees every 100 ms. Their calls cost what the same
  // driver's cost on an H200.
  DeviceDescription device{.name = "h100"};
  device.board = {.sleep = Watts(48), .idle = Watts(70), .max = Watts(350)};
  SensorDescription average = hopper_ring();
  average.source.kind = SourceKind::power_average;
  average.model.averaging_window = milliseconds(1000);
  average.model.inner_period = milliseconds(20);
  average.jitter = Seconds(0);
  average.quantum = 0.001;
  SensorDescription usage = average;
  usage.source.kind = SourceKind::power_usage;
  SensorDescription memory = average;
  memory.source.scope = Scope::memory;
  memory.model.gain = 0.27;
  SensorDescription energy = counter(milliseconds(100), kFilter);
  energy.call_cost = 0.003_s;
  constexpr Seconds kRefresh{50e-6};
  device.sensors = {cached(usage, true, kRefresh),
                    cached(average, false, kRefresh),
                    cached(memory, false, kRefresh),
                    cached(hopper_instant(), true, kRefresh),
                    hopper_ring(),
                    energy};
  return device;
}

DeviceDescription h200() {
  // Measured: idle 124.7 W, FMA plateau idle + 138 W after a start at idle + 235 W that decays
  // with 20 ms; one 13 ms filter behind every source; refreshes take 2.4 ms.
  DeviceDescription device{.name = "h200"};
  device.board = {.sleep = Watts(113), .idle = Watts(124.7), .max = Watts(262.3)};
  device.board.overshoot = 0.71;
  device.board.overshoot_time_constant = milliseconds(20);
  device.board.drift = Watts(0.4);
  device.board.drift_time_constant = 1.0_s;
  SensorDescription average = filtered(SourceKind::power_average, milliseconds(20), kFilter);
  average.model.averaging_window = milliseconds(1000);
  average.noise = Watts(0.3);
  SensorDescription usage = average;
  usage.source.kind = SourceKind::power_usage;
  SensorDescription memory = average;  // about 34 W at idle
  memory.source.scope = Scope::memory;
  memory.model.gain = 0.27;
  SensorDescription energy = counter(milliseconds(100), kFilter);
  energy.call_cost = 0.0023_s;
  constexpr Seconds kRefresh{0.0024};
  device.sensors = {cached(usage, true, kRefresh),
                    cached(average, false, kRefresh),
                    cached(memory, false, kRefresh),
                    cached(hopper_instant(), true, kRefresh),
                    hopper_ring(),
                    energy};
  return device;
}

DeviceDescription gh200() {
  // Yang 2024, section VI: GPU 20 ms of every 100 ms; `instant` is the whole module's; the CPU's
  // window is 10 ms of 100 ms; the counter counts the module.
  DeviceDescription device{.name = "gh200"};
  device.board = {.sleep = Watts(70), .idle = Watts(90), .max = Watts(600)};
  device.board.cpu_idle = Watts(80);
  device.board.cpu_max = Watts(300);
  SensorDescription instant =
      boxcar(SourceKind::power_instant, milliseconds(100), milliseconds(20));
  instant.observes = Scope::module;
  SensorDescription average =
      boxcar(SourceKind::power_average, milliseconds(100), milliseconds(1000));
  SensorDescription usage = average;
  usage.source.kind = SourceKind::power_usage;
  usage.alias_of = average.source;
  SensorDescription cpu = boxcar(SourceKind::power_instant, milliseconds(100), milliseconds(10));
  cpu.source.scope = Scope::cpu;
  SensorDescription module = average;
  module.source.scope = Scope::module;
  SensorDescription energy = counter(milliseconds(100), Seconds(0));
  energy.observes = Scope::module;
  device.sensors = {usage, average, instant, cpu, module, energy};
  return device;
}

/// Multiprocessors, boost clock in MHz and FP32 lanes of a multiprocessor, by NVIDIA's data sheets
/// and white papers of each architecture.
struct Machine {
  int sms = 132;
  double clock_mhz = 1980;
  double lanes = 128;
};

using Maker = DeviceDescription (*)();
struct Builtin {
  std::string_view name;
  Maker make;
  Machine machine;
};
constexpr auto kBuiltin = std::to_array<Builtin>({
    {"k20", k20, {13, 706, 192}},
    {"k40", k40, {15, 745, 192}},
    {"p100", p100, {56, 1329, 64}},
    {"v100", v100, {80, 1530, 64}},
    {"turing", turing, {68, 1545, 64}},
    {"rtx3090", rtx3090, {82, 1695, 128}},
    {"rtx4090", rtx4090, {128, 2520, 128}},
    {"a100", a100, {108, 1410, 64}},
    {"h100", h100, {132, 1980, 128}},
    {"h200", h200, {132, 1980, 128}},
    {"gh200", gh200, {132, 1980, 128}},
});

/// Energies such that FP32 multiply-adds at full rate draw this share of the board's power above
/// idle: on the metered boards and our own H200 such a kernel draws most of it.
constexpr double kShareOfMultiplyAdds = 0.7;

MachineDescription machine_of(const DeviceDescription& device, const Machine& machine) {
  MachineDescription made{
      .sms = machine.sms, .clock_hz = 1e6 * machine.clock_mhz, .lanes_per_cycle = machine.lanes};
  const double rate = made.sms * made.clock_hz * made.lanes_per_cycle;
  const double usual = rate * instruction_cost({}, "fma.rn.f32", false).joules;
  const double above_idle = (device.board.max - device.board.idle).value();
  made.usual_energies = kShareOfMultiplyAdds * above_idle / usual;
  return made;
}

}  // namespace

std::vector<std::string> builtin_device_names() {
  std::vector<std::string> names;
  for (const Builtin& one : kBuiltin) names.emplace_back(one.name);
  return names;
}

std::optional<DeviceDescription> builtin_device(std::string_view name) {
  for (const Builtin& one : kBuiltin) {
    if (one.name != name) continue;
    DeviceDescription device = one.make();
    device.machine = machine_of(device, one.machine);
    device.uuid = uuid_from_content(std::string("builtin:") + std::string(name));
    return device;
  }
  return std::nullopt;
}

}  // namespace truewatt
