#include "truewatt/sensor/nvml/nvml_sensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "truewatt/testing/fake_nvml.hpp"

namespace truewatt::sensor {
namespace {

using namespace std::chrono_literals;
using nvml::fake_nvml;
using nvml::FakeGpu;
using nvml::Field;
using nvml::FieldScope;
using nvml::Return;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr SourceId kUsage{SourceKind::power_usage, Scope::gpu};
constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kInstantModule{SourceKind::power_instant, Scope::module};
constexpr SourceId kAverageMemory{SourceKind::power_average, Scope::memory};
constexpr SourceId kSamples{SourceKind::power_samples, Scope::gpu};
constexpr SourceId kEnergy{SourceKind::energy_counter, Scope::gpu};
constexpr SourceId kEnergyModule{SourceKind::energy_counter, Scope::module};
constexpr SourceId kEnergyMemory{SourceKind::energy_counter, Scope::memory};

nvml::Sample sample_at(std::uint64_t us, std::uint32_t milliwatts) {
  nvml::Sample sample{us, {}};
  sample.value.unsigned_int = milliwatts;
  return sample;
}

DriverTime at_us(std::int64_t us) { return DriverTime(std::chrono::microseconds(us)); }

/// A sensor of the one GPU of the fake library.
class NvmlSensorTest : public ::testing::Test {
 protected:
  NvmlSensorTest() {
    fake_nvml() = {};
    fake_nvml().gpus.resize(1);
  }

  FakeGpu& gpu() { return fake_nvml().gpus.front(); }

  NvmlSensor open(const nvml::Api& api = nvml::fake_api()) {
    auto library = nvml::Library::adopt(api, "fake");
    nvml::Device handle = nullptr;
    EXPECT_EQ((*library)->api().handle_by_index(0, &handle), Return::success);
    return NvmlSensor(nvml::DeviceCalls(*library, handle, 0), {});
  }

  static std::string refusal(const NvmlSensor& sensor, SourceId source) {
    const auto found = std::ranges::find(sensor.sources(), source, &SourceStatus::source);
    if (found == sensor.sources().end()) return "not listed";
    return found->refusal ? found->refusal->message : "";
  }
};

TEST_F(NvmlSensorTest, IdentityIsTheDriversWithUuidAndPci) {
  gpu().name = "NVIDIA H200";
  const auto sensor = open();
  const DeviceIdentity expected{0, "NVIDIA H200", "GPU-00000000-0000-0000-0000-000000000000",
                                "00000000:1B:00.0", "580.65.06"};
  EXPECT_EQ(sensor.device(), expected);
}

// What it can be set to at most is the board's own; a limit that was set below it may be raised.
TEST_F(NvmlSensorTest, PowerLimitIsTheHighestThatCanBeSet) {
  EXPECT_FALSE(open().device().power_limit);
  gpu().enforced_limit_mw = 450'000;
  EXPECT_EQ(open().device().power_limit, Watts(450.0));
  gpu().greatest_limit_mw = 700'000;
  EXPECT_EQ(open().device().power_limit, Watts(700.0));
}

TEST_F(NvmlSensorTest, OffersWhatTheDeviceAnswersAndNothingElse) {
  gpu().power_usage_mw = 70'000;
  gpu().set_field(Field::power_instant, FieldScope::gpu, 71'000);
  gpu().energy_mj = 5;
  gpu().ring.emplace();
  EXPECT_THAT(answering_sources(open()), ElementsAre(kUsage, kInstant, kSamples, kEnergy));
}

TEST_F(NvmlSensorTest, EveryRefusalNamesItsCallAndWhatToDo) {
  const auto sensor = open();
  EXPECT_THAT(answering_sources(sensor), IsEmpty());
  for (const auto& status : sensor.sources()) {
    EXPECT_THAT(refusal(sensor, status.source),
                HasSubstr(status.source == kEnergyMemory ? "integrate" : "nvml"))
        << to_string(status.source);
  }
  EXPECT_THAT(refusal(sensor, kInstantModule),
              HasSubstr("nvmlDeviceGetFieldValues(field 186, scope module) failed with 3"));
}

TEST_F(NvmlSensorTest, MilliUnitsBecomeSiUnits) {
  gpu().power_usage_mw = 70'123;
  gpu().set_field(Field::power_instant, FieldScope::gpu, 71'001);
  gpu().energy_mj = 5'000'000'123'456ULL;
  auto sensor = open();
  EXPECT_EQ(sensor.read(kUsage)->value, 70.123);
  EXPECT_EQ(sensor.read(kInstant)->value, 71.001);
  EXPECT_EQ(sensor.read(kEnergy)->value, 5'000'000'123.456);
}

TEST_F(NvmlSensorTest, FieldsAreReadByTheirTypeAndTheCallsStampIsNotTheValues) {
  gpu().set_field(Field::power_instant, FieldScope::gpu, 0);
  auto& entry = gpu().fields.at({Field::power_instant, FieldScope::gpu});
  entry.type = nvml::ValueType::float64;
  entry.value.float64 = 250'500.0;
  entry.timestamp_us = 1'700'000'000'000'001;
  const auto reading = open().read(kInstant);
  EXPECT_EQ(reading->value, 250.5);
  EXPECT_EQ(reading->stamp, std::nullopt);
}

TEST_F(NvmlSensorTest, ZeroFromAnotherScopeIsNotAReading) {
  gpu().set_field(Field::power_instant, FieldScope::module, 0);
  gpu().set_field(Field::power_average, FieldScope::memory, 34'000);
  auto sensor = open();
  EXPECT_THAT(answering_sources(sensor), ElementsAre(kAverageMemory));
  EXPECT_EQ(sensor.read(kInstantModule).error().code, Errc::unsupported);
}

TEST_F(NvmlSensorTest, CounterFallsBackToTheField) {
  gpu().set_field(Field::total_energy, FieldScope::gpu, 12'345);
  EXPECT_EQ(open().read(kEnergy)->value, 12.345);
}

TEST_F(NvmlSensorTest, ModuleCounterThatIsTheGpusAgainIsRefused) {
  gpu().energy_mj = 1'000'000'000;
  // One tick later: 100 ms at 700 W.
  gpu().set_field(Field::energy, FieldScope::module, 1'000'070'000);
  auto sensor = open();
  EXPECT_THAT(answering_sources(sensor), ElementsAre(kEnergy));
  EXPECT_THAT(refusal(sensor, kEnergyModule), HasSubstr("nothing shows"));
  EXPECT_EQ(sensor.read(kEnergyModule).error().code, Errc::unsupported);
}

TEST_F(NvmlSensorTest, ModuleCounterThatRanAheadIsOffered) {
  gpu().energy_mj = 1'000'000'000;
  gpu().set_field(Field::energy, FieldScope::module, 1'600'000'000);
  auto sensor = open();
  EXPECT_THAT(answering_sources(sensor), ElementsAre(kEnergy, kEnergyModule));
  EXPECT_EQ(sensor.read(kEnergyModule)->value, 1'600'000.0);
}

TEST_F(NvmlSensorTest, ModulePowerBringsANoteAboutTheCounter) {
  gpu().set_field(Field::power_instant, FieldScope::module, 500'000);
  EXPECT_THAT(open().notes(), ElementsAre(HasSubstr("whole module")));
}

TEST_F(NvmlSensorTest, UnknownSourcesAreUnsupported) {
  auto sensor = open();
  EXPECT_EQ(sensor.read({SourceKind::power_instant, Scope::cpu}).error().code, Errc::unsupported);
  EXPECT_EQ(sensor.read(kSamples).error().code, Errc::invalid_argument);
}

TEST_F(NvmlSensorTest, RingIsDrainedOldestFirstWithStamps) {
  gpu().ring = {sample_at(2000, 80'000), sample_at(1000, 70'000), sample_at(0, 9)};
  const auto readings = open().drain(std::nullopt);
  ASSERT_THAT(*readings, SizeIs(2));
  EXPECT_EQ((*readings)[0].value, 70.0);
  EXPECT_EQ((*readings)[0].stamp, at_us(1000));
  EXPECT_EQ((*readings)[1].stamp, at_us(2000));
}

TEST_F(NvmlSensorTest, DrainingFromTheLastStampNeitherRepeatsNorLoses) {
  gpu().ring = {sample_at(1000, 70'000), sample_at(2000, 80'000), sample_at(3000, 90'000)};
  auto sensor = open();
  const auto readings = sensor.drain(at_us(1000));
  ASSERT_THAT(*readings, SizeIs(2));
  EXPECT_EQ(readings->front().stamp, at_us(2000));
  EXPECT_THAT(*sensor.drain(at_us(3000)), IsEmpty());
}

TEST_F(NvmlSensorTest, SubMicrosecondBoundsAreHonoured) {
  gpu().ring = {sample_at(1000, 70'000), sample_at(1001, 80'000)};
  EXPECT_THAT(*open().drain(at_us(1000) + 999ns), SizeIs(1));
}

TEST_F(NvmlSensorTest, RingThatGrewIsFetchedAgainWithMoreRoom) {
  gpu().ring.emplace();
  for (std::uint64_t i = 1; i <= 100; ++i) gpu().ring->push_back(sample_at(i, 70'000));
  gpu().ring_size_told = 10;
  auto sensor = open();
  EXPECT_THAT(*sensor.drain(std::nullopt), SizeIs(100));
  EXPECT_EQ(fake_nvml().ring_fetches, 2);
  EXPECT_THAT(*sensor.drain(std::nullopt), SizeIs(100));
  EXPECT_EQ(fake_nvml().ring_fetches, 3) << "the size is remembered";
}

TEST_F(NvmlSensorTest, RefusedPermissionIsSaidAndReported) {
  gpu().fault = Return::no_permission;
  auto sensor = open();
  EXPECT_THAT(answering_sources(sensor), IsEmpty());
  EXPECT_THAT(refusal(sensor, kUsage), HasSubstr("no permission"));
  EXPECT_EQ(sensor.read(kUsage).error().code, Errc::permission);
  EXPECT_EQ(sensor.drain(std::nullopt).error().code, Errc::permission);
}

TEST_F(NvmlSensorTest, WhatACgroupBlocksIsRefusedForLackOfPermission) {
  gpu().fault = Return::operating_system;
  const auto sensor = open();
  EXPECT_EQ(sensor.sources().front().refusal.value().code, Errc::permission);
}

TEST_F(NvmlSensorTest, LostGpuIsADeviceErrorEverywhere) {
  gpu().power_usage_mw = 1;
  gpu().ring.emplace();
  auto sensor = open();
  gpu().fault = Return::gpu_is_lost;
  EXPECT_EQ(sensor.read(kUsage).error().code, Errc::device);
  EXPECT_EQ(sensor.drain(std::nullopt).error().code, Errc::device);
  EXPECT_EQ(sensor.health().error().code, Errc::device);
}

TEST_F(NvmlSensorTest, HealthHasWhatTheDeviceAnswers) {
  const auto health = open().health();
  EXPECT_EQ(health->utilization_percent, 80.0);
  EXPECT_EQ(health->p_state, 2);
  EXPECT_EQ(health->temperature_c, 41.0);
  EXPECT_EQ(health->sm_clock_mhz, 1980.0);
  EXPECT_EQ(health->memory_clock_mhz, 3201.0);
  EXPECT_EQ(health->clocks_event_reasons, 4U);
  EXPECT_EQ(health->memory_used_bytes, 60U);
}

TEST_F(NvmlSensorTest, HealthOfASilentDeviceIsEmptyAndNoError) {
  gpu().health_answers = false;
  const auto health = open().health();
  ASSERT_TRUE(health.has_value());
  EXPECT_EQ(health->utilization_percent, std::nullopt);
  EXPECT_EQ(health->temperature_c, std::nullopt);
  EXPECT_EQ(health->sm_clock_mhz, std::nullopt);
}

TEST_F(NvmlSensorTest, TemperatureComesFromItsSuccessorWhereTheOldCallIsGone) {
  auto api = nvml::fake_api();
  api.temperature = nullptr;
  api.temperature_v = [](nvml::Device, nvml::Temperature* temperature) {
    EXPECT_EQ(temperature->version, 0x0100000cU);
    temperature->celsius = 55;
    return Return::success;
  };
  EXPECT_EQ(open(api).health()->temperature_c, 55.0);
}

TEST_F(NvmlSensorTest, AnOldLibraryWithoutAFunctionIsAskedOnlyForTheRest) {
  gpu().power_usage_mw = 70'000;
  auto api = nvml::fake_api();
  api.field_values = nullptr;
  api.samples = nullptr;
  api.total_energy = nullptr;
  const auto sensor = open(api);
  EXPECT_THAT(answering_sources(sensor), ElementsAre(kUsage));
  EXPECT_THAT(refusal(sensor, kEnergy), HasSubstr("no such function"));
}

TEST_F(NvmlSensorTest, LibraryIsShutDownWithItsLastSensor) {
  {
    const auto sensor = open();
    EXPECT_EQ(fake_nvml().initialised, 1);
  }
  EXPECT_EQ(fake_nvml().initialised, 0);
}

}  // namespace
}  // namespace truewatt::sensor
