// The NVML back end against nvml_sim's libnvidia-ml.so.1, through dlopen and in real time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "truewatt/model/device_description.hpp"
#include "truewatt/sensor/nvml/nvml_devices.hpp"

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Sensors = std::vector<std::unique_ptr<PowerSensor>>;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kUsage{SourceKind::power_usage, Scope::gpu};
constexpr SourceId kEnergy{SourceKind::energy_counter, Scope::gpu};

/// Six standard deviations: chance alone exceeds them in 2 of 1e9 readings.
constexpr double kSigmas = 6.0;

SteadyTime now() { return std::chrono::steady_clock::now(); }
double seconds(SteadyTime::duration time) { return Seconds(time).count(); }

class NvmlOnSimulator : public ::testing::Test {
 protected:
  void simulate(const std::string& devices, const std::string& load = "") {
    setenv("TRUEWATT_SIM_DEVICES", devices.c_str(), 1);
    setenv("TRUEWATT_SIM_LOAD", load.c_str(), 1);
  }

  /// A device file for this process, with `text` in it.
  std::string device_file(const std::string& name, const std::string& text) {
    const auto path = ::testing::TempDir() + name + "_" + std::to_string(getpid()) + ".toml";
    std::ofstream(path) << text;
    return path;
  }

  static Result<Sensors> open() { return open_nvml_sensors({.nvml_library = TRUEWATT_NVML_SIM}); }

  /// The only simulated device.
  static std::unique_ptr<PowerSensor> open_one() {
    auto sensors = open();
    EXPECT_TRUE(sensors.has_value()) << sensors.error().message;
    EXPECT_THAT(*sensors, SizeIs(1));
    return std::move(sensors->front());
  }
};

/// What NVML can show of a description: it has no CPU scope and no ring but the GPU's.
std::set<std::string> visible_sources(const DeviceDescription& device) {
  std::set<std::string> names;
  for (const auto& sensor : device.sensors) {
    if (sensor.source.scope != Scope::cpu) names.insert(to_string(sensor.source));
  }
  return names;
}

TEST_F(NvmlOnSimulator, FindsExactlyTheSourcesOfEveryBuiltInDevice) {
  std::string list;
  for (const auto& name : builtin_device_names()) list += (list.empty() ? "" : ",") + name;
  simulate(list);
  const auto sensors = open();
  ASSERT_TRUE(sensors.has_value()) << sensors.error().message;
  ASSERT_THAT(*sensors, SizeIs(builtin_device_names().size()));
  for (std::size_t i = 0; i < sensors->size(); ++i) {
    const auto device = builtin_device(builtin_device_names()[i]);
    std::set<std::string> found;
    for (const auto source : answering_sources(*(*sensors)[i])) found.insert(to_string(source));
    EXPECT_EQ(found, visible_sources(*device)) << device->name;
    EXPECT_EQ((*sensors)[i]->device().name, "truewatt simulated " + device->name);
    EXPECT_EQ((*sensors)[i]->device().uuid, device->uuid);
  }
}

TEST_F(NvmlOnSimulator, SleepingDevicesReadTheirSleepPower) {
  simulate("a100,h100");
  const auto sensors = open();
  ASSERT_TRUE(sensors.has_value()) << sensors.error().message;
  std::this_thread::sleep_for(200ms);
  const std::string names[] = {"a100", "h100"};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto device = builtin_device(names[i]);
    for (const auto& sensor : device->sensors) {
      if (counts_energy(sensor.source) || sensor.source.kind == SourceKind::power_samples) continue;
      const double expected =
          sensor.model.gain * device->board.sleep.value() + sensor.model.offset.value();
      // The board's own fluctuation, at most all of it seen, and the sensor's.
      const double sigma = std::hypot(device->board.noise.value(), sensor.noise.value());
      EXPECT_NEAR((*sensors)[i]->read(sensor.source)->value, expected,
                  kSigmas * sigma + sensor.quantum)
          << names[i] << " " << to_string(sensor.source);
    }
  }
}

TEST_F(NvmlOnSimulator, RingDrainsWithoutLossOrRepeat) {
  simulate("h100");
  const auto sensor = open_one();
  std::vector<DriverTime> stamps;
  const auto begin = now();
  auto newest_drain = begin;
  while (now() - begin < 2s) {
    newest_drain = now();
    const auto drained =
        sensor->drain(stamps.empty() ? std::nullopt : std::optional(stamps.back()));
    ASSERT_TRUE(drained.has_value()) << drained.error().message;
    for (const auto& reading : *drained) stamps.push_back(reading.stamp.value());
    std::this_thread::sleep_for(50ms);
  }
  // Ticks every 20 ms; a stamp jitters by 0.6 ms and is rounded to 1 us.
  const double tolerance = kSigmas * std::sqrt(2.0) * 0.6e-3 + 2e-6;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    ASSERT_NEAR(Seconds(stamps[i] - stamps[i - 1]).count(), 0.020, tolerance) << i;
  }
  // One per 20 ms from the first drain to the last, at most one short.
  EXPECT_GE(static_cast<double>(stamps.size()), seconds(newest_drain - begin) / 0.020 - 1);
  const auto age =
      std::chrono::system_clock::now().time_since_epoch() - stamps.back().time_since_epoch();
  EXPECT_GE(Seconds(age).count(), -tolerance) << "stamps are REALTIME";
  EXPECT_LE(Seconds(age).count(), seconds(now() - newest_drain) + 0.020 + tolerance);
}

/// What the energy counter gained, and bounds of the time it gained it in: each reading was taken
/// within its call and is one tick old at most.
struct EnergyStep {
  double joules = 0.0;
  double shortest = 0.0;
  double longest = 0.0;
};

template <class Meanwhile>
EnergyStep energy_over(PowerSensor& sensor, double tick_s, Meanwhile meanwhile) {
  const auto before_first = now();
  const double first = sensor.read(kEnergy)->value;
  const auto after_first = now();
  meanwhile();
  const auto before_last = now();
  const double last = sensor.read(kEnergy)->value;
  return {last - first, seconds(before_last - after_first) - tick_s,
          seconds(now() - before_first) + tick_s};
}

TEST_F(NvmlOnSimulator, CounterAdvancesByPowerTimesTime) {
  simulate("h100");
  const auto sensor = open_one();
  const auto device = builtin_device("h100");
  const double watts = device->board.sleep.value();
  const auto step = energy_over(*sensor, 0.1, [] { std::this_thread::sleep_for(1500ms); });
  // Integral of the board's fluctuation (correlation time 10 ms) over the time between.
  const double sigma = device->board.noise.value() * std::sqrt(2 * 0.010 * step.longest);
  // The two ticks' jitter of 0.5 ms, and a quantum.
  const double slack = kSigmas * (sigma + watts * 0.0005 * std::sqrt(2.0)) + 0.001;
  EXPECT_LE(step.joules, watts * step.longest + slack);
  EXPECT_GE(step.joules, watts * step.shortest - slack);
}

/// Follows its board without lag, noise or rounding.
const std::string kExactDevice = R"(
name = "exact"
[power]
sleep_w = 20.0
idle_w = 50.0
max_w = 250.0
noise_w = 0.0
[[sensor]]
source = "power.instant"
update_period_s = 0.005
averaging_window_s = 0.0
[[sensor]]
source = "energy.counter"
update_period_s = 0.005
averaging_window_s = 0.0
)";

TEST_F(NvmlOnSimulator, BackgroundLoadIsSeenByEverySource) {
  simulate(device_file("square", kExactDevice), "period=0.2,duty=0.5,level=1");
  const auto sensor = open_one();
  std::this_thread::sleep_for(20ms);  // the first tick lies before the load's begin
  std::set<double> seen;
  const auto step = energy_over(*sensor, 0.005, [&] {
    for (const auto begin = now(); now() - begin < 1s;) {
      seen.insert(sensor->read(kInstant)->value);
      std::this_thread::sleep_for(10ms);
    }
  });
  EXPECT_EQ(seen, (std::set<double>{50.0, 250.0}));
  // 150 W on average; a part of a period holds at most half a period of the 100 W between the mean
  // and a level more or less. Two values are rounded to 1 mJ.
  const double part = 100.0 * 0.1 + 0.001;
  EXPECT_LE(step.joules, 150.0 * step.longest + part);
  EXPECT_GE(step.joules, 150.0 * step.shortest - part);
  // The simulated driver looks 20 times in 0.2 s, one whole period: half of them, one on an edge.
  EXPECT_NEAR(*sensor->health()->utilization_percent, 50.0, 5.0);
}

TEST_F(NvmlOnSimulator, DeniedSourcesSayPermission) {
  simulate(device_file("denied", kExactDevice + "[faults]\ndenied = [\"energy.counter\"]\n"));
  const auto sensor = open_one();
  EXPECT_THAT(answering_sources(*sensor), ::testing::ElementsAre(kInstant));
  EXPECT_EQ(sensor->read(kEnergy).error().code, Errc::permission);
  for (const auto& status : sensor->sources()) {
    const bool denied = status.source == kEnergy;
    if (denied) {
      EXPECT_EQ(status.refusal.value().code, Errc::permission);
    }
  }
}

TEST_F(NvmlOnSimulator, SourcesThatTheDeviceLacksAreUnsupported) {
  simulate(device_file("lacking", kExactDevice));
  const auto sensor = open_one();
  EXPECT_EQ(sensor->read(kUsage).error().code, Errc::unsupported);
  EXPECT_EQ(sensor->drain(std::nullopt).error().code, Errc::unsupported);
}

TEST_F(NvmlOnSimulator, LostGpuIsADeviceError) {
  simulate(device_file("lost", kExactDevice + "[faults]\ngpu_lost_s = 1\n"));
  const auto sensor = open_one();
  EXPECT_TRUE(sensor->read(kInstant).has_value());
  EXPECT_TRUE(sensor->health().has_value());
  std::this_thread::sleep_for(1100ms);
  EXPECT_EQ(sensor->read(kInstant).error().code, Errc::device);
  EXPECT_EQ(sensor->read(kEnergy).error().code, Errc::device);
  EXPECT_EQ(sensor->health().error().code, Errc::device);
}

TEST_F(NvmlOnSimulator, MachineWithoutGpuIsUnavailable) {
  simulate("");
  EXPECT_EQ(open().error().code, Errc::unavailable);
}

TEST_F(NvmlOnSimulator, BadConfigurationIsExplainedInTheLibrarysWords) {
  simulate("nosuchdevice");
  const auto sensors = open();
  ASSERT_FALSE(sensors.has_value());
  EXPECT_THAT(sensors.error().message, HasSubstr("TRUEWATT_SIM_DEVICES"));
  EXPECT_THAT(sensors.error().message, HasSubstr("nosuchdevice"));
}

TEST_F(NvmlOnSimulator, EqualBoardsAreToldApartByUuidPciAndReadings) {
  simulate("h100,h100");
  auto sensors = open();
  ASSERT_THAT(*sensors, SizeIs(2));
  const auto second = sensors->back()->device();
  EXPECT_NE(second.uuid, sensors->front()->device().uuid);
  EXPECT_NE(second.pci, sensors->front()->device().pci);
  for (const auto& selector : {second.uuid, second.pci, std::string("1")}) {
    const auto chosen =
        open_nvml_sensors({.selectors = {selector}, .nvml_library = TRUEWATT_NVML_SIM});
    ASSERT_THAT(*chosen, SizeIs(1)) << selector;
    EXPECT_EQ(chosen->front()->device(), second);
  }
}

TEST_F(NvmlOnSimulator, SensorsMayBeReadFromSeveralThreads) {
  simulate("h100,h200", "level=0.5");
  const auto sensors = open();
  ASSERT_THAT(*sensors, SizeIs(2));
  std::vector<int> answers(sensors->size(), 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < sensors->size(); ++i) {
      threads.emplace_back([&, i] {
        for (int poll = 0; poll < 100; ++poll) {
          const bool read = (*sensors)[i]->read(kInstant).has_value();
          const bool drained = (*sensors)[i]->drain(std::nullopt).has_value();
          answers[i] += read && drained ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(answers, (std::vector<int>{100, 100}));
}

}  // namespace
}  // namespace truewatt::sensor
