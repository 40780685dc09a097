#include "truewatt/sensor/host/host_sensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace truewatt::sensor {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

constexpr SourceId kCpuCounter{SourceKind::energy_counter, Scope::cpu};
constexpr SourceId kMemoryCounter{SourceKind::energy_counter, Scope::memory};
constexpr SourceId kCpuAverage{SourceKind::power_average, Scope::cpu};
constexpr SourceId kModuleAverage{SourceKind::power_average, Scope::module};

/// A tree like the kernel's, in a folder of its own.
class HostTree : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("truewatt_sysfs_") + test->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  void zone(const std::string& name, const std::string& label, const std::string& energy) const {
    write("class/powercap/" + name + "/name", label);
    write("class/powercap/" + name + "/max_energy_range_uj", "1000000");
    write("class/powercap/" + name + "/energy_uj", energy);
  }
  void hwmon(int number, const std::string& label, const std::string& power) const {
    const std::string device = "class/hwmon/hwmon" + std::to_string(number) + "/device/";
    write(device + "power1_oem_info", label);
    write(device + "power1_average", power);
  }

  fs::path root_;
};

TEST_F(HostTree, WithoutSourcesHasNoSensor) {
  EXPECT_TRUE(find_host_sensors(root_).empty());
  EXPECT_TRUE(find_host_sensors(root_ / "missing").empty());
}

TEST_F(HostTree, OfTwoPackagesHasOneSensorEach) {
  zone("intel-rapl:0", "package-0", "5000000");
  zone("intel-rapl:0:0", "core", "1");
  zone("intel-rapl:0:1", "dram", "250000");
  zone("intel-rapl:1", "package-1", "7000000");
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.size(), 2U);
  EXPECT_EQ(sensors[0]->device().name, "CPU package 0 (RAPL)");
  EXPECT_EQ(sensors[1]->device().uuid, "HOST-rapl-1");
  EXPECT_DOUBLE_EQ(sensors[0]->read(kCpuCounter)->value, 5.0);
  EXPECT_DOUBLE_EQ(sensors[0]->read(kMemoryCounter)->value, 0.25);
  EXPECT_DOUBLE_EQ(sensors[1]->read(kCpuCounter)->value, 7.0);
  EXPECT_EQ(sensors[1]->read(kMemoryCounter).error().code, Errc::unsupported);
  EXPECT_THAT(sensors[0]->notes(), Contains(HasSubstr("core")));
  EXPECT_THAT(sensors[0]->not_read(), testing::IsEmpty());
}

TEST_F(HostTree, OfAPlatformIsNoPackage) {
  zone("intel-rapl:0", "package-0", "1");
  zone("intel-rapl:1", "psys", "9000000");
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.size(), 2U);
  EXPECT_EQ(sensors[1]->device().name, "platform (RAPL psys)");
  EXPECT_DOUBLE_EQ(sensors[1]->read({SourceKind::energy_counter, Scope::module})->value, 9.0);
}

TEST_F(HostTree, ACounterThatWrapsGoesOn) {
  zone("intel-rapl:0", "package-0", "900000");
  const auto sensors = find_host_sensors(root_);
  PowerSensor& sensor = *sensors.at(0);
  EXPECT_DOUBLE_EQ(sensor.read(kCpuCounter)->value, 0.9);
  zone("intel-rapl:0", "package-0", "100000");
  EXPECT_DOUBLE_EQ(sensor.read(kCpuCounter)->value, 1.1);
  zone("intel-rapl:0", "package-0", "999999");
  EXPECT_DOUBLE_EQ(sensor.read(kCpuCounter)->value, 1.999999);
  zone("intel-rapl:0", "package-0", "0");
  EXPECT_DOUBLE_EQ(sensor.read(kCpuCounter)->value, 2.0);
}

TEST_F(HostTree, SaysWhichPermissionIsMissing) {
  zone("intel-rapl:0", "package-0", "1");
  const auto refuse = [](const fs::path& path) -> Result<std::string> {
    if (path.filename() != "energy_uj") return read_kernel_file(path);
    return Unexpected(Errc::permission, "no permission to read " + path.string());
  };
  const auto sensors = find_host_sensors(root_, refuse);
  ASSERT_EQ(sensors.size(), 1U);
  EXPECT_TRUE(answering_sources(*sensors[0]).empty());
  EXPECT_THAT(sensors[0]->sources().at(0).refusal.value().message, HasSubstr("energy_uj"));
  EXPECT_EQ(sensors[0]->read(kCpuCounter).error().code, Errc::permission);
}

/// Nothing is forbidden to root, so that what runs as root is somebody else meanwhile.
class AsNobody {
 public:
  AsNobody() : was_(geteuid()) { EXPECT_EQ(seteuid(was_ == 0 ? kNobody : was_), 0); }
  ~AsNobody() { EXPECT_EQ(seteuid(was_), 0); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  uid_t was_;
};

TEST_F(HostTree, NamesTheChangeThatTheAdministratorCanMake) {
  zone("intel-rapl:0", "package-0", "1");
  const fs::path file = root_ / "class/powercap/intel-rapl:0/energy_uj";
  fs::permissions(file, fs::perms::none);
  const AsNobody nobody;
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.size(), 1U);
  EXPECT_THAT(sensors.at(0)->sources().at(0).refusal.value().message,
              HasSubstr("chmod o+r " + file.string()));
}

TEST_F(HostTree, OfAGraceHoldsItsLabelledParts) {
  hwmon(1, "Module Power Socket 0", "310000000");
  hwmon(2, "Grace Power Socket 0", "120000000");
  hwmon(3, "CPU Power Socket 0", "85500000");
  hwmon(4, "SysIO Power Socket 0", "9000000");
  write("class/hwmon/hwmon5/name", "nvme");
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.size(), 4U);
  EXPECT_EQ(sensors[0]->device().name, "Module Power Socket 0 (hwmon)");
  EXPECT_DOUBLE_EQ(sensors[0]->read(kModuleAverage)->value, 310.0);
  EXPECT_DOUBLE_EQ(sensors[1]->read(kCpuAverage)->value, 120.0);
  EXPECT_DOUBLE_EQ(sensors[2]->read(kCpuAverage)->value, 85.5);
  EXPECT_DOUBLE_EQ(sensors[3]->read(kCpuAverage)->value, 9.0);
  const std::vector<GracePart> parts = {GracePart::module, GracePart::whole, GracePart::cpu_rail,
                                        GracePart::io_rail};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(grace_part(sensors[i]->device()), parts[i]) << i;
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_NE(sensors[i]->device().uuid, sensors[k]->device().uuid);
    }
  }
  zone("intel-rapl:0", "package-0", "1");
  EXPECT_FALSE(grace_part(find_host_sensors(root_).back()->device()));
}

TEST_F(HostTree, OfAPackageOfDiesSaysWhich) {
  zone("intel-rapl:0", "package-0-die-0", "1");
  zone("intel-rapl:1", "package-0-die-1", "1");
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.size(), 2U);
  EXPECT_EQ(sensors[0]->device().name, "CPU package 0 die 0 (RAPL)");
  EXPECT_EQ(sensors[1]->device().name, "CPU package 0 die 1 (RAPL)");
}

/// Refused sources of all sensors, by the sensor's name.
std::map<std::string, std::string> refusals(
    const std::vector<std::unique_ptr<PowerSensor>>& sensors) {
  std::map<std::string, std::string> found;
  for (const auto& sensor : sensors) {
    for (const SourceStatus& status : sensor->sources()) {
      if (status.refusal) found[sensor->device().name] = status.refusal->message;
    }
  }
  return found;
}

TEST_F(HostTree, WhatMayBeAMeterIsNotDropped) {
  zone("intel-rapl:0", "package-0", "1");
  zone("intel-rapl:1", "soc-0", "1");
  zone("intel-rapl:2", "package-2", "1");
  zone("intel-rapl:3", "package-2", "1");
  write("class/powercap/intel-rapl:4/energy_uj", "1");
  write("class/powercap/intel-rapl:0:0/energy_uj", "1");
  zone("intel-rapl:0:1", "core", "1");
  hwmon(1, "Grace Power Socket 0", "1");
  hwmon(2, "DRAM Power Socket 0", "1");
  const auto found = refusals(find_host_sensors(root_));
  EXPECT_THAT(found, testing::UnorderedElementsAre(
                         testing::Pair("CPU soc 0 (RAPL)", HasSubstr("what it measures")),
                         testing::Pair("CPU package 2 (RAPL)", HasSubstr("a second zone")),
                         testing::Pair("CPU zone 4 (RAPL)", HasSubstr("name is not there")),
                         testing::Pair("CPU package 0 (RAPL)", HasSubstr("name is not there")),
                         testing::Pair("DRAM Power Socket 0 (hwmon)", HasSubstr("labelled DRAM"))));
}

TEST_F(HostTree, NorIsOneWhoseLabelIsForbidden) {
  hwmon(1, "Module Power Socket 0", "1");
  hwmon(2, "Grace Power Socket 0", "1");
  const auto refuse = [](const fs::path& path) -> Result<std::string> {
    if (path.filename() != "power1_oem_info" || path.string().find("hwmon2") != std::string::npos)
      return read_kernel_file(path);
    return Unexpected(Errc::permission, "no permission to read " + path.string());
  };
  const auto found = refusals(find_host_sensors(root_, refuse));
  EXPECT_THAT(found, testing::ElementsAre(testing::Pair(testing::_, HasSubstr("hwmon1"))));
}

TEST_F(HostTree, ASecondMemoryOfAPackageIsReadToo) {
  zone("intel-rapl:0", "package-0", "1000000");
  zone("intel-rapl:0:0", "dram", "2000000");
  zone("intel-rapl:0:1", "dram", "3000000");
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.size(), 2U);
  EXPECT_DOUBLE_EQ(sensors[0]->read(kMemoryCounter)->value, 2.0);
  EXPECT_DOUBLE_EQ(sensors[1]->read(kMemoryCounter)->value, 3.0);
  EXPECT_NE(sensors[0]->device().uuid, sensors[1]->device().uuid);
}

TEST_F(HostTree, GracesMetersAreFoundWhereNewerKernelsHaveThem) {
  write("class/hwmon/hwmon1/power1_oem_info", " grace power socket 1 ");
  write("class/hwmon/hwmon1/power1_average", "120000000");
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.size(), 1U);
  EXPECT_EQ(grace_part(sensors[0]->device()), GracePart::whole);
  EXPECT_EQ(sensors[0]->device().index, 1);
  EXPECT_DOUBLE_EQ(sensors[0]->read(kCpuAverage)->value, 120.0);
}

TEST_F(HostTree, OfTwoMetersOfOneNameReadsTheFirst) {
  hwmon(1, "CPU Power Socket 0", "85500000");
  hwmon(2, "CPU Power Socket 0", "1000000");
  const auto sensors = find_host_sensors(root_);
  ASSERT_EQ(sensors.at(0)->sources().size(), 1U);
  EXPECT_DOUBLE_EQ(sensors[0]->read(kCpuAverage)->value, 85.5);
  EXPECT_THAT(sensors[0]->notes(), Contains(HasSubstr("hwmon2")));
  EXPECT_EQ(sensors[0]->not_read(), sensors[0]->notes());
}

TEST_F(HostTree, ShowsWhatIsNoNumberAsAnError) {
  zone("intel-rapl:0", "package-0", "12 monkeys");
  const auto sensors = find_host_sensors(root_);
  EXPECT_EQ(sensors.at(0)->read(kCpuCounter).error().code, Errc::parse);
  fs::remove(root_ / "class/powercap/intel-rapl:0/energy_uj");
  EXPECT_EQ(sensors.at(0)->read(kCpuCounter).error().code, Errc::unavailable);
}

}  // namespace
}  // namespace truewatt::sensor
