#include "truewatt/sensor/nvml/nvml_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/testing/fake_nvml.hpp"

namespace truewatt::sensor {
namespace {

using nvml::fake_nvml;
using nvml::Return;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Three GPUs, each of which answers power.usage.
class NvmlDevices : public ::testing::Test {
 protected:
  NvmlDevices() {
    fake_nvml() = {};
    fake_nvml().gpus.resize(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      fake_nvml().gpus[i].uuid = "GPU-" + std::to_string(i);
      fake_nvml().gpus[i].bus = i;
      fake_nvml().gpus[i].power_usage_mw = 1000 * (i + 1);
    }
  }

  static auto library() { return *nvml::Library::adopt(nvml::fake_api(), "fake"); }

  static std::vector<int> indices(const std::vector<std::unique_ptr<PowerSensor>>& sensors) {
    std::vector<int> result;
    for (const auto& sensor : sensors) result.push_back(sensor->device().index);
    return result;
  }
};

TEST_F(NvmlDevices, EachSelectedGpuGetsItsSensor) {
  const auto sensors = open_nvml_sensors(library(), {.selectors = {"GPU-2", "0"}});
  ASSERT_TRUE(sensors.has_value());
  EXPECT_THAT(indices(*sensors), ElementsAre(2, 0));
  EXPECT_EQ(sensors->front()->read({SourceKind::power_usage, Scope::gpu})->value, 3.0);
}

TEST_F(NvmlDevices, OneLostGpuDoesNotKillTheRestNorVanish) {
  fake_nvml().gpus[1].open = Return::gpu_is_lost;
  const auto sensors = open_nvml_sensors(library(), {});
  ASSERT_TRUE(sensors.has_value());
  EXPECT_THAT(indices(*sensors), ElementsAre(0, 1, 2));
  auto& lost = *(*sensors)[1];
  EXPECT_THAT(answering_sources(lost), SizeIs(0));
  EXPECT_EQ(lost.read({SourceKind::power_usage, Scope::gpu}).error().code, Errc::device);
  EXPECT_EQ(lost.drain(std::nullopt).error().code, Errc::device);
  EXPECT_EQ(lost.health().error().code, Errc::device);
  EXPECT_THAT(lost.notes(), ElementsAre(HasSubstr("fallen off the bus")));
}

TEST_F(NvmlDevices, GpusOfOtherJobsAreInvisibleUnlessNamed) {
  fake_nvml().gpus[0].open = Return::no_permission;
  EXPECT_THAT(indices(*open_nvml_sensors(library(), {})), ElementsAre(1, 2));
  EXPECT_THAT(indices(*open_nvml_sensors(library(), {.selectors = {"all"}})), ElementsAre(1, 2));
  const NvmlOptions first_visible{.environment = {.visible_devices = "0", .device_order = {}}};
  EXPECT_THAT(indices(*open_nvml_sensors(library(), first_visible)), ElementsAre(1));
  const auto named = open_nvml_sensors(library(), {.selectors = {"0"}});
  EXPECT_EQ(named->front()->read({SourceKind::power_usage, Scope::gpu}).error().code,
            Errc::permission);
}

TEST_F(NvmlDevices, MigInstancesMeasureTheParentAndSaySo) {
  fake_nvml().gpus[1].mig_instances = {"MIG-aaaa", "MIG-bbbb"};
  const NvmlOptions options{.environment = {.visible_devices = "MIG-bbbb", .device_order = {}}};
  const auto sensors = open_nvml_sensors(library(), options);
  ASSERT_TRUE(sensors.has_value());
  EXPECT_THAT(indices(*sensors), ElementsAre(1));
  EXPECT_THAT(sensors->front()->notes(), Contains(HasSubstr("MIG instance MIG-bbbb")));
  EXPECT_THAT(sensors->front()->notes(), Contains(HasSubstr("all 2 instances")));
  ASSERT_TRUE(sensors->front()->mig());
  EXPECT_EQ(sensors->front()->mig()->chosen, "MIG-bbbb");
  EXPECT_THAT(sensors->front()->mig()->instances, ElementsAre("MIG-aaaa", "MIG-bbbb"));
}

TEST_F(NvmlDevices, AGpuInMigModeWithoutInstancesSaysWhatItLacks) {
  fake_nvml().gpus[1].mig_mode = true;
  const auto sensors = open_nvml_sensors(library(), {.selectors = {"1"}});
  ASSERT_TRUE(sensors.has_value());
  EXPECT_THAT(sensors->front()->notes(), Contains(HasSubstr("lists no instance")));
  ASSERT_TRUE(sensors->front()->mig());
  EXPECT_THAT(sensors->front()->mig()->instances, ::testing::IsEmpty());
  EXPECT_FALSE((*open_nvml_sensors(library(), {.selectors = {"0"}})).front()->mig());
}

TEST_F(NvmlDevices, InstancesThatAreNotEnumeratedAreFoundByName) {
  fake_nvml().gpus[2].mig_instances = {"MIG-cccc"};
  auto api = nvml::fake_api();
  api.mig_mode = nullptr;
  const auto only_by_name = *nvml::Library::adopt(api, "fake");
  const auto sensors = open_nvml_sensors(only_by_name, {.selectors = {"MIG-cccc"}});
  ASSERT_TRUE(sensors.has_value()) << sensors.error().message;
  EXPECT_THAT(indices(*sensors), ElementsAre(2));
  ASSERT_TRUE(sensors->front()->mig());
  EXPECT_EQ(sensors->front()->mig()->chosen, "MIG-cccc");
}

TEST_F(NvmlDevices, ListingShowsEveryGpuWithEverySourcesAnswer) {
  fake_nvml().gpus[0].open = Return::no_permission;
  fake_nvml().gpus[1].mig_instances = {"MIG-aaaa"};
  const auto reports = list_nvml_devices(library());
  ASSERT_TRUE(reports.has_value());
  ASSERT_THAT(*reports, SizeIs(3));
  EXPECT_EQ((*reports)[0].failure->code, Errc::permission);
  EXPECT_THAT((*reports)[1].mig_instances, ElementsAre("MIG-aaaa"));
  EXPECT_EQ((*reports)[2].failure.has_value(), false);
  EXPECT_EQ((*reports)[2].device.pci, "00000000:02:00.0");
  EXPECT_TRUE((*reports)[2].sources.front().answers());
}

TEST_F(NvmlDevices, NoGpuIsUnavailableWithAdvice) {
  fake_nvml().gpus.clear();
  EXPECT_EQ(open_nvml_sensors(library(), {}).error().code, Errc::unavailable);
  const auto listing = list_nvml_devices(library());
  EXPECT_EQ(listing.error().code, Errc::unavailable);
  EXPECT_THAT(listing.error().message, HasSubstr("--gpus all"));
}

TEST_F(NvmlDevices, FailedInitialisationIsExplained) {
  fake_nvml().init = Return::lib_rm_version_mismatch;
  const auto opened = nvml::Library::adopt(nvml::fake_api(), "libnvidia-ml.so.1");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::unavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("reboot"));
}

TEST_F(NvmlDevices, MissingLibraryIsUnavailableAndNamesItself) {
  const auto sensors = open_nvml_sensors({.nvml_library = "/nonexistent/libnvidia-ml.so.1"});
  ASSERT_FALSE(sensors.has_value());
  EXPECT_EQ(sensors.error().code, Errc::unavailable);
  EXPECT_THAT(sensors.error().message, HasSubstr("/nonexistent/libnvidia-ml.so.1"));
  EXPECT_THAT(sensors.error().message, HasSubstr("sim:h100"));
}

TEST_F(NvmlDevices, LibraryWithoutNvmlIsUnavailable) {
  EXPECT_EQ(list_nvml_devices("libm.so.6").error().code, Errc::unavailable);
  EXPECT_EQ(nvml::Library::adopt({}, "empty").error().code, Errc::unavailable);
}

}  // namespace
}  // namespace truewatt::sensor
