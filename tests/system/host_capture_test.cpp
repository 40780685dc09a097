#include "truewatt/measure/host_capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "truewatt/compare/comparison.hpp"
#include "truewatt/devices/recorded_input.hpp"
#include "truewatt/measure/measurement.hpp"
#include "truewatt/sensor/host/host_sensors.hpp"
#include "truewatt/simgpu/virtual_clock.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::measure {
namespace {

namespace fs = std::filesystem;
using energy::Reason;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Text that a file of the kernel's holds at a time, s since the clock's begin; or its refusal.
using Content = std::function<Result<std::string>(double t_s)>;

/// A host whose files change with virtual time. The folders are real, so that they are found.
class VirtualHost : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("truewatt_node_") + test->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void file(const std::string& path, const Content& content) {
    fs::create_directories((root_ / path).parent_path());
    files_[(root_ / path).string()] = content;
  }
  static Content text(const std::string& content) {
    return [content](double) { return Result<std::string>(content); };
  }
  static Content refusal(const std::string& what) {
    return [what](double) -> Result<std::string> { return Unexpected(Errc::permission, what); };
  }
  /// A counter of a constant power that ticks every ms and wraps at `range_j`.
  static Content counting(double power_w, double range_j) {
    return [=](double t) {
      const double joules = range_j / 3 + power_w * std::floor(t * 1e3) / 1e3;
      return std::to_string(std::llround(1e6 * std::fmod(joules, range_j)));
    };
  }
  /// A mean over 50 ms of a constant power, with discrete noise of 2 W that adds up to nothing.
  static Content averaging(double power_w) {
    return [=](double t) {
      const bool even = std::llround(std::floor(t / 0.05)) % 2 == 0;
      return std::to_string(std::llround(1e6 * (power_w + (even ? 2 : -2))));
    };
  }
  void zone(const std::string& name, const std::string& label, const Content& energy,
            double range_j) {
    const std::string folder = "class/powercap/" + name + "/";
    file(folder + "name", text(label));
    file(folder + "max_energy_range_uj", text(std::to_string(std::llround(1e6 * range_j))));
    file(folder + "energy_uj", energy);
  }
  void hwmon(int number, const std::string& label, const Content& power) {
    const std::string folder = "class/hwmon/hwmon" + std::to_string(number) + "/device/";
    file(folder + "power1_oem_info", text(label));
    file(folder + "power1_average", power);
  }

  /// `step:on=2s` on a simulated device beside this host, on one virtual clock.
  Measurement measured(const std::string& device, const MeasureOptions& options = {}) {
    auto set = devices::open_devices({.selectors = {device}}, {}).value();
    const Clock* clock = set.clock.get();
    const HostTime origin = clock->now();
    const sensor::ReadText read = [=, this](const fs::path& path) -> Result<std::string> {
      const auto found = files_.find(path.string());
      if (found == files_.end()) return Unexpected(Errc::unavailable, path.string());
      return found->second(seconds_between(origin, clock->now()));
    };
    set.host = devices::Host{sensor::find_host_sensors(root_, read), root_.string()};
    return measure(set, load::parse_schedule("step:on=2s", 1).value(), {}, options).value();
  }

  fs::path root_;
  std::map<std::string, Content> files_;
};

void expect_holds(const energy::NodeSource& source, double joules, double tolerance) {
  ASSERT_TRUE(source.estimate.energy) << source.label;
  EXPECT_NEAR(source.estimate.energy->interval.value, joules, tolerance) << source.label;
  EXPECT_LE(source.estimate.energy->interval.lower, joules) << source.label;
  EXPECT_GE(source.estimate.energy->interval.upper, joules) << source.label;
}

TEST_F(VirtualHost, OfTwoSocketsIsAddedToTheGpuThroughManyWraps) {
  zone("intel-rapl:0", "package-0", counting(180, 30), 30);  // wraps every 167 ms
  zone("intel-rapl:0:0", "dram", counting(12, 30), 30);
  zone("intel-rapl:1", "package-1", counting(90, 262144), 262144);
  const Measurement measurement = measured("sim:h100");
  const energy::NodeEnergy& node = measurement.run.node.value();
  ASSERT_EQ(node.sources.size(), 4U);
  EXPECT_EQ(node.sources[0].label, "GPU 0 (sim:h100)");
  // 2 s each; a tick of 1 ms at each edge at most.
  expect_holds(node.sources[1], 360, 2 * 0.18);
  expect_holds(node.sources[2], 24, 2 * 0.012);
  expect_holds(node.sources[3], 180, 2 * 0.09);
  const double gpu = measurement.run.devices[0].energy->interval.value;
  EXPECT_NEAR(node.energy.value().interval.value, gpu + 360 + 24 + 180, 0.6);
  EXPECT_THAT(node.covers, ElementsAre("GPU 0 (sim:h100)", "CPU package 0 (RAPL)",
                                       "DRAM of CPU package 0 (RAPL)", "CPU package 1 (RAPL)"));
  EXPECT_THAT(node.reasons, ElementsAre(Reason::uncalibrated_host));
}

TEST_F(VirtualHost, IsAskedFiftyTimesASecond) {
  zone("intel-rapl:0", "package-0", counting(180, 300), 300);
  hwmon(0, "CPU Power Socket 0", averaging(80));
  const Measurement measurement = measured("sim:h100");
  ASSERT_EQ(measurement.recordings.size(), 3U);
  EXPECT_EQ(measurement.curves.size(), 3U);
  for (std::size_t i = 1; i < 3; ++i) {
    const Trace& trace = measurement.recordings[i].traces.at(0);
    const double length = seconds_between(trace.begin, trace.end);
    EXPECT_NEAR(static_cast<double>(trace.polls) / length, 50.0, 1.0);
    EXPECT_EQ(measurement.recordings[i].windows.size(), 1U);
  }
}

TEST_F(VirtualHost, ThatRefusesNamesThePermissionAndHasNoTotal) {
  zone("intel-rapl:0", "package-0", refusal("chmod o+r energy_uj"), 300);
  zone("intel-rapl:0:0", "dram", counting(12, 300), 300);
  const energy::NodeEnergy node = measured("sim:h100").run.node.value();
  EXPECT_FALSE(node.energy);
  EXPECT_THAT(node.covers, IsEmpty());
  EXPECT_THAT(node.reasons, ElementsAre(Reason::node_incomplete, Reason::permission_denied));
  EXPECT_THAT(node.sources.at(1).refusal, HasSubstr("chmod o+r"));
  EXPECT_THAT(node.sources.at(1).estimate.reasons, ElementsAre(Reason::permission_denied));
  EXPECT_FALSE(node.sources.at(1).estimate.energy);
  expect_holds(node.sources.at(2), 24, 0.03);
}

TEST_F(VirtualHost, ThatRefusesAltogetherIsNotRecorded) {
  zone("intel-rapl:0", "package-0", refusal("not for you"), 300);
  const Measurement measurement = measured("sim:h100");
  EXPECT_EQ(measurement.recordings.size(), 1U);
  EXPECT_THAT(measurement.run.node.value().reasons, Contains(Reason::permission_denied));
}

TEST_F(VirtualHost, WithACounterThatRestartsHasNoTotal) {
  // No range is known, so a wrap is not told from a reset.
  file("class/powercap/intel-rapl:0/name", text("package-0"));
  file("class/powercap/intel-rapl:0/energy_uj", counting(180, 300));
  const energy::NodeEnergy node = measured("sim:h100").run.node.value();
  EXPECT_THAT(node.sources.at(1).estimate.reasons, Contains(Reason::counter_reset));
  EXPECT_THAT(node.reasons, ElementsAre(Reason::node_incomplete));
}

TEST_F(VirtualHost, WithoutMetersSaysWhereItLooked) {
  const Measurement measurement = measured("sim:h100");
  EXPECT_THAT(measurement.run.node.value().reasons, ElementsAre(Reason::no_host_sources));
  EXPECT_THAT(measurement.run.node->sources, IsEmpty());
  EXPECT_THAT(measurement.run.notes, Contains(HasSubstr(root_.string() + "/class/powercap")));
}

TEST_F(VirtualHost, OfASuperchipIsItsModule) {
  hwmon(1, "Module Power Socket 0", averaging(620));
  hwmon(2, "Grace Power Socket 0", averaging(120));
  hwmon(3, "CPU Power Socket 0", averaging(85));
  hwmon(4, "SysIO Power Socket 0", averaging(9));
  const energy::NodeEnergy node = measured("sim:gh200").run.node.value();
  ASSERT_EQ(node.sources.size(), 5U);
  // Readings of 2 W more and 2 W less in turns: one of 50 ms too many, and one split at each edge.
  expect_holds(node.sources[1], 1240, 3 * 2 * 0.05);
  expect_holds(node.sources[2], 240, 3 * 2 * 0.05);
  expect_holds(node.sources[3], 170, 3 * 2 * 0.05);
  EXPECT_EQ(node.sources[1].label, "Module Power Socket 0 (hwmon)");
  EXPECT_TRUE(node.sources[1].added);
  EXPECT_FALSE(node.sources[0].added);
  EXPECT_FALSE(node.sources[2].added || node.sources[3].added || node.sources[4].added);
  EXPECT_NEAR(node.energy.value().interval.value, 1240, 0.3);
}

TEST_F(VirtualHost, OfAGraceBesideAGpuIsItsWholeSocket) {
  hwmon(2, "Grace Power Socket 0", averaging(120));
  hwmon(3, "CPU Power Socket 0", averaging(85));
  const energy::NodeEnergy node = measured("sim:h100").run.node.value();
  EXPECT_THAT(node.covers, ElementsAre("GPU 0 (sim:h100)", "Grace Power Socket 0 (hwmon)"));
}

TEST_F(VirtualHost, OfASuperchipThatNobodyCharacterizedIsAmbiguousWithoutItsModule) {
  hwmon(3, "CPU Power Socket 0", averaging(85));
  const energy::NodeEnergy node = measured("sim:gh200").run.node.value();
  EXPECT_FALSE(node.energy);
  EXPECT_THAT(node.reasons, ElementsAre(Reason::node_ambiguous));
}

TEST_F(VirtualHost, OfAModuleBesideAPlainGpuIsAmbiguous) {
  hwmon(1, "Module Power Socket 0", averaging(620));
  EXPECT_THAT(measured("sim:h100").run.node.value().reasons, ElementsAre(Reason::node_ambiguous));
}

TEST_F(VirtualHost, StandsInTheRunFileBesideTheGpus) {
  zone("intel-rapl:0", "package-0", counting(180, 30), 30);
  const fs::path path = root_ / "run.db";
  MeasureOptions options;
  options.out = path;
  const Measurement measurement = measured("sim:h100", options);
  ASSERT_FALSE(measurement.file_error);
  const store::RunFile file = store::read_run_file(path).value();
  ASSERT_EQ(file.devices.size(), 2U);
  EXPECT_TRUE(is_host(file.devices[1].recording.device));
  EXPECT_EQ(file.devices[1].estimates.at(0).energy->interval.value,
            measurement.run.node->sources.at(1).estimate.energy->interval.value);
  // What looks for GPUs finds these alone.
  const auto input = devices::read_recorded_input(path, {}).value();
  EXPECT_EQ(input.recording.device.name, "sim:h100");
  EXPECT_THAT(input.notes, Not(Contains(HasSubstr("GPUs in the recording"))));
  const auto compared = compare::compare_run_files(path, path);
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->a.runs.at(0).devices.size(), 1U);
}

TEST(Node, HasNoVirtualTime) {
  const auto set = devices::open_devices({.selectors = {"sim:h100"}, .node = true}, {});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, Errc::invalid_argument);
  EXPECT_THAT(set.error().message, HasSubstr("truewatt run"));
}

}  // namespace
}  // namespace truewatt::measure
