#include "truewatt/store/device_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace truewatt::store {
namespace {

using testing::HasSubstr;

DeviceDescription read(std::string_view text) {
  auto device = read_device_toml(text, "board.toml");
  EXPECT_TRUE(device) << device.error().message;
  return device ? *device : DeviceDescription{};
}

Error error_of(std::string_view text) {
  const auto device = read_device_toml(text, "board.toml");
  EXPECT_FALSE(device) << "accepted: " << text;
  return device ? Error{} : device.error();
}

std::string message_of(std::string_view text) { return error_of(text).message; }

TEST(DeviceToml, HasTheDocumentedDefaults) {
  const DeviceDescription device = read("[[sensor]]\nsource = \"power.usage\"\n");
  EXPECT_EQ(device.name, "board");
  const BoardDescription& board = device.board;
  EXPECT_EQ(board.sleep, Watts(20));
  EXPECT_EQ(board.idle, Watts(55));
  EXPECT_EQ(board.max, Watts(400));
  EXPECT_EQ(board.rise_time_constant, Seconds(0));
  EXPECT_EQ(board.rise_fraction, 1.0);
  EXPECT_EQ(board.overshoot, 0.0);
  EXPECT_EQ(board.overshoot_time_constant, Seconds(0.15));
  EXPECT_EQ(board.active_idle, std::nullopt);
  EXPECT_EQ(board.active_idle_hold, Seconds(0));
  EXPECT_EQ(board.step_down, Seconds(1));
  EXPECT_EQ(board.drift, Watts(0));
  EXPECT_EQ(board.drift_time_constant, Seconds(30));
  EXPECT_EQ(board.noise, Watts(0.3));
  EXPECT_EQ(board.cpu_idle, Watts(0));
  EXPECT_EQ(board.cpu_max, Watts(0));
  EXPECT_EQ(device.l1_bytes, 196608U);
  EXPECT_EQ(device.l2_bytes, 41943040U);
  EXPECT_FALSE(device.faults.gpu_lost.has_value());
  EXPECT_FALSE(device.faults.counter_reset.has_value());
  ASSERT_EQ(device.sensors.size(), 1U);
  const SensorDescription& sensor = device.sensors[0];
  EXPECT_EQ(sensor.source, (SourceId{SourceKind::power_usage, Scope::gpu}));
  EXPECT_EQ(sensor.model.update_period, Seconds(0.1));
  EXPECT_EQ(sensor.model.averaging_window, Seconds(0.025));
  EXPECT_EQ(sensor.model.time_constant, Seconds(0));
  EXPECT_EQ(sensor.model.delay, Seconds(0));
  EXPECT_EQ(sensor.model.gain, 1.0);
  EXPECT_EQ(sensor.model.offset, Watts(0));
  EXPECT_EQ(sensor.model.inner_period, Seconds(0));
  EXPECT_EQ(sensor.jitter, Seconds(0));
  EXPECT_EQ(sensor.quantum, 0.001);
  EXPECT_EQ(sensor.noise, Watts(0));
  EXPECT_EQ(sensor.phase, std::nullopt);
  EXPECT_EQ(sensor.client_cache, Seconds(0));
  EXPECT_FALSE(sensor.client_double);
  EXPECT_EQ(sensor.call_cost, Seconds(0));
  EXPECT_EQ(sensor.ring, 119);
}

constexpr std::string_view kFull = R"(name = "example"
[power]
sleep_w = 1
idle_w = 2.5
max_w = 300
rise_time_constant_s = 0.1
rise_fraction = 0.7
overshoot = -0.25
overshoot_time_constant_s = 0.2
active_idle_w = 60
active_idle_hold_s = 3.5
step_down_s = 2
drift_w = -1.5
drift_time_constant_s = 20
noise_w = 0.5
cpu_idle_w = 30
cpu_max_w = 100
[[sensor]]
source = "energy.counter"
scope = "module"
update_period_s = 0.02
averaging_window_s = 0
time_constant_s = 0.013
delay_s = -0.001
jitter_s = 0.0005
gain = 0.95
offset_w = -3
quantum = 1
noise_w = 0.125
phase_s = 0
inner_period_s = 0.001
client_cache_s = 0.7
client_double = true
call_cost_s = 0.004
ring = 7
[[sensor]]
source = "power.samples"
phase_s = -1
[instructions]
"fma.rn.f32" = 1.0e-12
add = 2e-12
[memory]
shared = 8.0e-11
l1 = 1.1e-10
l2 = 3.7e-10
dram = 2.1e-9
[caches]
l1_bytes = 1024
l2_bytes = 9007199254740993
[faults]
gpu_lost_s = 0
counter_reset_s = 2.5
stalls = [[1, 0.5], [3.0, 1]]
denied = ["energy.counter", "power.average"]
throttle = [[1.5, 2, 0.25]]
other_work = [[3, 4.5, 0.5]]
[mig]
share = 0.25
)";

TEST(DeviceToml, ReadsTheBoard) {
  const DeviceDescription device = read(kFull);
  EXPECT_EQ(device.name, "example");
  const BoardDescription& board = device.board;
  EXPECT_EQ(board.sleep, Watts(1));
  EXPECT_EQ(board.idle, Watts(2.5));
  EXPECT_EQ(board.max, Watts(300));
  EXPECT_EQ(board.rise_time_constant, Seconds(0.1));
  EXPECT_EQ(board.rise_fraction, 0.7);
  EXPECT_EQ(board.overshoot, -0.25);
  EXPECT_EQ(board.overshoot_time_constant, Seconds(0.2));
  EXPECT_EQ(board.active_idle, Watts(60));
  EXPECT_EQ(board.active_idle_hold, Seconds(3.5));
  EXPECT_EQ(board.step_down, Seconds(2));
  EXPECT_EQ(board.drift, Watts(-1.5));
  EXPECT_EQ(board.drift_time_constant, Seconds(20));
  EXPECT_EQ(board.noise, Watts(0.5));
  EXPECT_EQ(board.cpu_idle, Watts(30));
  EXPECT_EQ(board.cpu_max, Watts(100));
}

TEST(DeviceToml, ReadsSensors) {
  const DeviceDescription device = read(kFull);
  ASSERT_EQ(device.sensors.size(), 2U);
  const SensorDescription& sensor = device.sensors[0];
  EXPECT_EQ(sensor.source, (SourceId{SourceKind::energy_counter, Scope::module}));
  EXPECT_EQ(sensor.model.update_period, Seconds(0.02));
  EXPECT_EQ(sensor.model.averaging_window, Seconds(0));
  EXPECT_EQ(sensor.model.time_constant, Seconds(0.013));
  EXPECT_EQ(sensor.model.delay, Seconds(-0.001));
  EXPECT_EQ(sensor.model.gain, 0.95);
  EXPECT_EQ(sensor.model.offset, Watts(-3));
  EXPECT_EQ(sensor.model.inner_period, Seconds(0.001));
  EXPECT_EQ(sensor.jitter, Seconds(0.0005));
  EXPECT_EQ(sensor.quantum, 1.0);
  EXPECT_EQ(sensor.noise, Watts(0.125));
  EXPECT_EQ(sensor.phase, Seconds(0));
  EXPECT_EQ(sensor.client_cache, Seconds(0.7));
  EXPECT_TRUE(sensor.client_double);
  EXPECT_EQ(sensor.call_cost, Seconds(0.004));
  EXPECT_EQ(sensor.ring, 7);
  EXPECT_EQ(device.sensors[1].source, (SourceId{SourceKind::power_samples, Scope::gpu}));
  EXPECT_EQ(device.sensors[1].phase, std::nullopt);
}

TEST(DeviceToml, ReadsWhatASourceReallyObserves) {
  const DeviceDescription device = read(R"(
[[sensor]]
source = "energy.counter"
observes = "module"
[[sensor]]
source = "power.instant"
)");
  EXPECT_EQ(device.sensors[0].observes, Scope::module);
  EXPECT_FALSE(device.sensors[1].observes);
}

TEST(DeviceToml, ReadsWhichSourceIsAnotherName) {
  const DeviceDescription device = read(R"(
[[sensor]]
source = "power.usage"
alias_of = "power.average"
[[sensor]]
source = "power.average"
)");
  EXPECT_EQ(device.sensors[0].alias_of, (SourceId{SourceKind::power_average, Scope::gpu}));
  EXPECT_FALSE(device.sensors[1].alias_of);
}

TEST(DeviceToml, ReadsEnergiesCachesAndFaults) {
  const DeviceDescription device = read(kFull);
  EXPECT_THAT(device.instruction_j, testing::ElementsAre(testing::Pair("add", 2e-12),
                                                         testing::Pair("fma.rn.f32", 1e-12)));
  EXPECT_THAT(device.sector_j,
              testing::ElementsAre(testing::Pair("dram", 2.1e-9), testing::Pair("l1", 1.1e-10),
                                   testing::Pair("l2", 3.7e-10), testing::Pair("shared", 8e-11)));
  EXPECT_EQ(device.l1_bytes, 1024U);
  EXPECT_EQ(device.l2_bytes, 9007199254740993U) << "an integer above 2^53 is kept exactly";
  const FaultDescription& faults = device.faults;
  EXPECT_EQ(faults.gpu_lost, Seconds(0));
  EXPECT_EQ(faults.counter_reset, Seconds(2.5));
  ASSERT_EQ(faults.stalls.size(), 2U);
  EXPECT_EQ(faults.stalls[0].at, Seconds(1));
  EXPECT_EQ(faults.stalls[0].length, Seconds(0.5));
  EXPECT_THAT(faults.denied,
              testing::ElementsAre(SourceKind::energy_counter, SourceKind::power_average));
  ASSERT_EQ(faults.throttle.size(), 1U);
  EXPECT_EQ(faults.throttle[0].at, Seconds(1.5));
  EXPECT_EQ(faults.throttle[0].length, Seconds(2));
  EXPECT_EQ(faults.throttle[0].level_cap, 0.25);
  ASSERT_EQ(faults.other_work.size(), 1U);
  EXPECT_EQ(faults.other_work[0].length, Seconds(4.5));
  EXPECT_EQ(faults.other_work[0].level, 0.5);
}

TEST(DeviceToml, ReadsTextBeyondAscii) {
  const DeviceDescription device = read(
      "name = \"\"\"gr\u00fcn \\\n  \u02e3 \U0001F50B\"\"\" # \u20ac\n[instructions]\n'\u00b5' = "
      "1");
  EXPECT_EQ(device.name, "gr\u00fcn \u02e3 \U0001F50B");
  EXPECT_THAT(device.instruction_j, testing::ElementsAre(testing::Pair("\u00b5", 1.0)));
  EXPECT_THAT(message_of("'\u00b5' = 1"), HasSubstr("no key `\u00b5`"));
  EXPECT_THAT(message_of("x = 0 \u0191"), HasSubstr("\u0191"));
  EXPECT_EQ(error_of("name = \"\xff\"").code, Errc::parse);
}

TEST(DeviceToml, TakesTheUuidFromTheText) {
  EXPECT_EQ(read(kFull).uuid, uuid_from_content(kFull));
  EXPECT_NE(read("name = 'a'").uuid, read("name = 'a' ").uuid);
}

TEST(DeviceToml, AFileWithoutAKeyIsNoDevice) {
  for (const char* text : {"", " \n", "# nothing\n"}) {
    EXPECT_THAT(message_of(text), HasSubstr("describes nothing")) << text;
  }
}

TEST(DeviceToml, NamesUnknownKeysTheirLinesAndTheNearestKey) {
  EXPECT_EQ(message_of("[power]\nidle = 3\n"),
            "board.toml:2: [power] has no key `idle`; did you mean `idle_w`?");
  EXPECT_EQ(message_of("\n[sensors]\n"),
            "board.toml:2: the top level has no key `sensors`; did you mean `sensor`?");
  EXPECT_EQ(message_of("[[sensor]]\n[[sensor]]\nupdate_s = 1"),
            "board.toml:3: [[sensor]] has no key `update_s`; did you mean `phase_s`?");
  EXPECT_THAT(message_of("[memory]\nl3 = 1e-9"), HasSubstr("did you mean `l1`"));
  EXPECT_THAT(message_of("[caches]\nl1 = 1"), HasSubstr("did you mean `l1_bytes`"));
  EXPECT_THAT(message_of("[faults]\nstall = []"), HasSubstr("did you mean `stalls`"));
}

TEST(DeviceToml, NamesWrongTypes) {
  EXPECT_EQ(message_of("[power]\nidle_w = \"55\""),
            "board.toml:2: [power] idle_w must be a number, not a string");
  EXPECT_EQ(message_of("[[sensor]]\nclient_double = 1"),
            "board.toml:2: [[sensor]] client_double must be true or false, not an integer");
  EXPECT_EQ(message_of("name = 3"),
            "board.toml:1: the top level name must be a string, not an "
            "integer");
  EXPECT_EQ(message_of("[[sensor]]\nring = 2.5"),
            "board.toml:2: [[sensor]] ring must be an integer, not a number");
  EXPECT_EQ(message_of("power = 3"), "board.toml:1: [power] must be a table, not an integer");
  EXPECT_EQ(message_of("sensor = [1]"), "board.toml:1: [[sensor]] must be a table, not an integer");
  EXPECT_THAT(message_of("[sensor]\ngain = 1"), HasSubstr("sensor must be an array"));
  EXPECT_THAT(message_of("[faults]\nstalls = [1, 2]"), HasSubstr("an array of [at, length]"));
  EXPECT_THAT(message_of("[mig]\nshare = 1.5"), HasSubstr("mig.share"));
  EXPECT_THAT(message_of("[faults]\nother_work = [[1, 2, 3]]"), HasSubstr("other_work level"));
  EXPECT_THAT(message_of("[faults]\nthrottle = [[1, 2]]"),
              HasSubstr("an array of [at, length, level cap]"));
  EXPECT_THAT(message_of("[faults]\nstalls = [[1, true]]"), HasSubstr("must be a number"));
  EXPECT_THAT(message_of("[instructions]\nfma.rn.f32 = 1e-12"),
              HasSubstr("write an instruction's name in quotes"));
}

TEST(DeviceToml, NamesWrongNames) {
  EXPECT_EQ(message_of("[[sensor]]\nsource = \"power.instnt\""),
            "board.toml:2: [[sensor]] source = \"power.instnt\" is unknown; did you mean "
            "\"power.instant\"?");
  EXPECT_THAT(message_of("[[sensor]]\nscope = \"modul\""), HasSubstr("did you mean \"module\""));
  EXPECT_THAT(message_of("[faults]\ndenied = [\"energy\"]"), HasSubstr("[faults] denied = "));
}

TEST(DeviceToml, RefusesNumbersThatAreNone) {
  for (const char* number : {"nan", "+nan", "-nan", "inf", "-inf"}) {
    EXPECT_THAT(message_of(fmt::format("[power]\nnoise_w = {}", number)),
                HasSubstr("must be a finite number"));
    EXPECT_THAT(message_of(fmt::format("[[sensor]]\nphase_s = {}", number)),
                HasSubstr("must be a finite number"));
    EXPECT_THAT(message_of(fmt::format("[faults]\nstalls = [[1, {}]]", number)),
                HasSubstr("must be a finite number"));
    EXPECT_THAT(message_of(fmt::format("[instructions]\nx = {}", number)),
                HasSubstr("must be a finite number"));
  }
}

TEST(DeviceToml, RefusesNegativeCountsAndEnergies) {
  EXPECT_THAT(message_of("[caches]\nl1_bytes = -1"), HasSubstr("l1_bytes = -1: must be between"));
  EXPECT_THAT(message_of("[[sensor]]\nring = 3000000000"), HasSubstr("between 0 and 2147483647"));
  EXPECT_THAT(message_of("[[sensor]]\nsource = \"power.samples\"\nring = 1000000000"),
              HasSubstr("ring = 1000000000: must be at most 1000000"));
  EXPECT_THAT(message_of("[memory]\nl1 = -1e-9"), HasSubstr("must not be negative"));
}

TEST(DeviceToml, PassesOnWhatTheModelRefuses) {
  const Error error = error_of("[[sensor]]\nupdate_period_s = 0");
  EXPECT_EQ(error.code, Errc::parse);
  EXPECT_THAT(error.message, HasSubstr("board.toml: [[sensor]] power.instant: update_period_s"));
}

TEST(DeviceToml, SaysWhereTheTextIsNotToml) {
  const Error error = error_of("name = \"x\"\n[power\n");
  EXPECT_EQ(error.code, Errc::parse);
  EXPECT_THAT(error.message, testing::StartsWith("board.toml:2: "));
}

TEST(DeviceToml, RefusesDeepNestingInsteadOfOverflowingTheStack) {
  std::string key = "a";
  for (int i = 0; i < 200'000; ++i) key += ".a";
  EXPECT_THAT(message_of(key + " = 1"), HasSubstr("at most 16 dotted parts"));
  EXPECT_EQ(error_of("a = " + std::string(200'000, '[')).code, Errc::parse);
}

TEST(FindDevice, KnowsTheBuiltInOnes) {
  const auto device = find_device("a100");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->uuid, builtin_device("a100")->uuid);
}

TEST(DeviceFile, OnlyPowerOfTheGpuIsComputedFromActivity) {
  const auto computed =
      read_device_toml("[[sensor]]\nsource = \"power.usage\"\nactivity_steps = 16\n", "a.toml");
  ASSERT_TRUE(computed) << computed.error().message;
  EXPECT_EQ(computed->sensors.front().activity_steps, 16);
  const auto counter =
      read_device_toml("[[sensor]]\nsource = \"energy.counter\"\nactivity_steps = 16\n", "a.toml");
  ASSERT_FALSE(counter);
  EXPECT_THAT(counter.error().message, HasSubstr("activity_steps"));
}

TEST(FindDevice, NamesTheNearestBuiltInOne) {
  const auto device = find_device("h1000");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Errc::invalid_argument);
  EXPECT_THAT(device.error().message, HasSubstr("did you mean `sim:h100`?"));
  EXPECT_THAT(device.error().message, HasSubstr("gh200"));
}

TEST(FindDevice, ReadsAFileThatEndsInToml) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("my-board-{}.toml", getpid());
  std::ofstream(path) << "[power]\nidle_w = 33\n";
  const auto device = find_device(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ(device->board.idle, Watts(33));
  EXPECT_EQ(device->name, path.stem().string());
  const auto absent = find_device(path.string());
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Errc::unavailable);
  EXPECT_THAT(absent.error().message, HasSubstr(path.string()));
}

}  // namespace
}  // namespace truewatt::store
