// The whole back end against a driver made for tests (fake_cuda.cpp), in real time. The machine may
// be busy: edges are judged by their medians, with the machine's own lateness measured beside them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "truewatt/kernels/fma_chain.hpp"
#include "truewatt/load/cuda/cuda_load.hpp"
#include "truewatt/testing/machine_clock.hpp"

namespace truewatt::load {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

double median_of(std::vector<double> values) {
  EXPECT_FALSE(values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Sets a variable for the fake driver as long as it lives.
class Fault {
 public:
  explicit Fault(const char* value, const char* name = "TRUEWATT_FAKE_CUDA_FAULT") : name_(name) {
    setenv(name_, value, 1);
  }
  ~Fault() { unsetenv(name_); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;

 private:
  const char* name_;
};

Schedule schedule_of(std::string_view spec) {
  const auto schedule = parse_schedule(spec, 1);
  EXPECT_TRUE(schedule) << spec;
  return schedule.value_or({});
}

class CudaLoad : public testing::Test {
 protected:
  const DeviceIdentity second_{7, "fake", "GPU-0B0b0c0d-0000-0000-0000-000000000000", "", "1"};
  SystemClock clock_;

  /// A calibration of about 0.2 s.
  static CudaLoadOptions quick() {
    return {TRUEWATT_FAKE_CUDA,
            {Seconds(0.02), Seconds(0.1), Seconds(0.02), 3},
            std::nullopt,
            std::nullopt};
  }

  Result<std::unique_ptr<Load>> make() { return make_cuda_load(second_, clock_, quick()); }

  std::unique_ptr<Load> prepared(const Schedule& schedule) {
    auto load = make();
    EXPECT_TRUE(load) << load.error().message;
    if (!load) return nullptr;
    const auto ready = (*load)->prepare(schedule);
    EXPECT_TRUE(ready) << ready.error().message;
    return ready ? std::move(*load) : nullptr;
  }

  /// What prepare says when the driver has this fault.
  Error prepare_error(const char* fault) {
    const Fault set(fault);
    auto load = make();
    if (!load) return load.error();
    const auto ready = (*load)->prepare(schedule_of("step:on=10ms"));
    EXPECT_FALSE(ready) << fault;
    return ready ? Error{} : ready.error();
  }

  /// How late the machine wakes a sleeper these days: the larger part of any edge's lateness.
  double oversleep() {
    std::vector<double> late;
    for (int i = 0; i < 25; ++i) {
      const HostTime until = clock_.now() + milliseconds(2);
      clock_.sleep_until(until);
      late.push_back(seconds_between(until, clock_.now()));
    }
    return median_of(late);
  }
};

TEST_F(CudaLoad, FindsItsDeviceByUuidOrPciIdAndNotByIndex) {
  DeviceIdentity device = second_;
  EXPECT_TRUE(make_cuda_load(device, clock_, quick()));
  device.uuid = "GPU-ffffffff-0000-0000-0000-000000000000";
  device.pci = "00000000:1A:00.0";
  EXPECT_TRUE(make_cuda_load(device, clock_, quick()));
  device.pci = "00000000:99:00.0";
  device.index = 0;
  const auto absent = make_cuda_load(device, clock_, quick());
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Errc::unavailable);
  EXPECT_THAT(absent.error().message,
              AllOf(HasSubstr("GPU-ffffffff"), HasSubstr("GPU-0a0b0c0d"), HasSubstr("GPU-0b0b0c0d"),
                    HasSubstr("CUDA_VISIBLE_DEVICES")));
}

constexpr const char* kFirstInstance = "MIG-11111111-0000-0000-0000-000000000001";
constexpr const char* kSecondInstance = "MIG-22222222-0000-0000-0000-00000000000a";

/// A GPU in MIG mode: the fake's device 0, cut in two.
class CudaLoadOnMig : public CudaLoad {
 public:
  CudaLoadOnMig() { unsetenv("CUDA_VISIBLE_DEVICES"); }
  ~CudaLoadOnMig() override { unsetenv("CUDA_VISIBLE_DEVICES"); }

 protected:
  Result<std::unique_ptr<Load>> make_on(const std::string& chosen) {
    auto options = quick();
    options.mig = MigMode{chosen, {kFirstInstance, kSecondInstance}};
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
      options.visible_devices = visible;
    }
    return make_cuda_load(parent_, clock_, options);
  }

  const DeviceIdentity parent_{0, "fake", "GPU-ffffffff-0000-0000-0000-000000000000",
                               "00000000:1A:00.0", "1"};
  const std::string both_ = std::string(kFirstInstance) + "," + kSecondInstance;
  Fault instances_{both_.c_str(), "TRUEWATT_FAKE_CUDA_MIG"};
};

TEST_F(CudaLoadOnMig, WorksOnTheInstanceThatWasChosen) {
  const auto load = make_on(kSecondInstance);
  ASSERT_TRUE(load) << load.error().message;
  EXPECT_EQ((*load)->slice(), "instance " + std::string(kSecondInstance) + " with 4 SMs");
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), kSecondInstance);
}

TEST_F(CudaLoadOnMig, WorksOnTheVariablesInstanceWhenTheParentWasNamed) {
  setenv("CUDA_VISIBLE_DEVICES", kSecondInstance, 1);
  const auto load = make_on("");
  ASSERT_TRUE(load) << load.error().message;
  EXPECT_THAT((*load)->slice().value_or(""), HasSubstr(kSecondInstance));
}

TEST_F(CudaLoadOnMig, WorksOnTheFirstInstanceWhenNothingWasNamed) {
  const auto load = make_on("");
  ASSERT_TRUE(load) << load.error().message;
  EXPECT_THAT((*load)->slice().value_or(""), HasSubstr(kFirstInstance));
}

TEST_F(CudaLoadOnMig, NeverTakesAnotherInstanceForTheChosenOne) {
  setenv("CUDA_VISIBLE_DEVICES", kFirstInstance, 1);
  const auto load = make_on(kSecondInstance);
  ASSERT_FALSE(load);
  EXPECT_EQ(load.error().code, Errc::unavailable);
  EXPECT_THAT(load.error().message,
              AllOf(HasSubstr("does not see MIG instance " + std::string(kSecondInstance)),
                    HasSubstr("CUDA_VISIBLE_DEVICES=" + std::string(kSecondInstance))));
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), kFirstInstance) << "it is the user's";
}

TEST_F(CudaLoadOnMig, AnOlderDriversInstanceIsKnownByItsParent) {
  // Before CUDA 11.4 the UUID is the parent's, and instances are named MIG-GPU-<uuid>/gi/ci.
  const Fault old("MIG-ffffffff-0000-0000-0000-000000000000", "TRUEWATT_FAKE_CUDA_MIG");
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  const std::string name = "MIG-GPU-ffffffff-0000-0000-0000-000000000000/1/0";
  const auto load = make_on(name);
  ASSERT_TRUE(load) << load.error().message;
  EXPECT_THAT((*load)->slice().value_or(""), HasSubstr(name));
}

TEST_F(CudaLoadOnMig, SaysWhatAGpuWithoutInstancesNeeds) {
  const Fault none("", "TRUEWATT_FAKE_CUDA_MIG");
  auto options = quick();
  options.mig = MigMode{};
  const auto load = make_cuda_load(parent_, clock_, options);
  ASSERT_FALSE(load);
  EXPECT_EQ(load.error().code, Errc::unavailable);
  EXPECT_THAT(load.error().message,
              AllOf(HasSubstr("CUDA_ERROR_NO_DEVICE"), HasSubstr("nvidia-smi mig -cgi")));
}

TEST_F(CudaLoad, CalibratesToTheDevicesOwnSpeed) {
  const Schedule schedule = schedule_of("step:on=5ms");
  const auto load = prepared(schedule);
  ASSERT_TRUE(load);
  const auto execution = load->play(schedule, clock_.now(), {});
  ASSERT_TRUE(execution) << execution.error().message;
  const std::string& line = execution->notes.at(0);
  double us = 0.0;
  double r_squared = 0.0;
  int length = 0;
  std::sscanf(line.c_str(),
              "FMA chain: %lf us per 1000 iterations, R² = %lf, 4 blocks of 256 threads; result "
              "checked%n",
              &us, &r_squared, &length);
  ASSERT_EQ(static_cast<std::size_t>(length), line.size()) << line;
  // The fake takes 150 ns per pass by its own clock. Its 1 ns steps and float milliseconds are far
  // below 0.1 %; the rest is for a host that is late between a launch and its marks.
  const double expected_us = 150.0 / kernels::kFmaChainStepsPerPass;
  EXPECT_NEAR(us, expected_us, 0.02 * expected_us);
  EXPECT_GT(r_squared, 0.99);
}

TEST_F(CudaLoad, PlaysASquareWaveOnItsGrid) {
  const Schedule schedule = schedule_of("square:period=30ms,duty=0.3,duration=0.6,level=0.5");
  const auto load = prepared(schedule);
  ASSERT_TRUE(load);
  const double oversleep_before = oversleep();
  const HostTime begin = clock_.now() + milliseconds(5);
  const auto execution = load->play(schedule, begin, {});
  ASSERT_TRUE(execution) << execution.error().message;
  const double tolerance = 1e-3 + 3 * std::max(oversleep_before, oversleep());
  std::vector<double> begins;
  std::vector<double> ends;
  for (const ActivityInterval& stretch : execution->activity) {
    const double since = seconds_between(begin, stretch.begin);
    const double period = std::round(since / 0.03 - 0.1);
    begins.push_back(since - 0.03 * period);
    ends.push_back(seconds_between(begin, stretch.end) - 0.03 * period - 0.009);
    EXPECT_GE(begins.back(), -1e-9);  // never before its time, a rounded nanosecond
    EXPECT_EQ(stretch.kind, WorkKind{.level = 0.5});
  }
  EXPECT_GE(execution->activity.size(), 15U);  // of 20: a busy machine may miss some
  EXPECT_NEAR(median_of(begins), 0.0, tolerance);
  EXPECT_NEAR(median_of(ends), 0.0, tolerance);
  EXPECT_GE(execution->begin, begin);
  EXPECT_GE(execution->end, begin + milliseconds(600));
}

/// The clock falls by a tenth: without looking, the stretch would end 40 ms late.
TEST_F(CudaLoad, EndsALongStretchOnTheGridThoughTheGpuSlowsDown) {
  const Fault slow("1.1", "TRUEWATT_FAKE_CUDA_SLOW");
  const Schedule schedule = schedule_of("fma:on=0.7");
  const auto load = prepared(schedule);
  ASSERT_TRUE(load);
  // The last two pieces, 0.2 s at most, are sized by the speed of the piece before: a change within
  // that piece is learned in part, 0.1 s x 0.1 = 10 ms at worst, in the first play; later ones
  // begin with the changed speed. 2 ms and the oversleep for a late host. A busy machine may be
  // later than that once, hardly three times.
  double off = 1.0;
  double tolerance = 0.0;
  for (int i = 0; i < 3 && off > tolerance; ++i) {
    const HostTime begin = clock_.now() + milliseconds(1);
    const auto execution = load->play(schedule, begin, {});
    ASSERT_TRUE(execution) << execution.error().message;
    ASSERT_EQ(execution->activity.size(), 1U);
    off = std::abs(seconds_between(begin, execution->activity[0].end) - 0.7);
    tolerance = 2e-3 + 3 * oversleep();
  }
  EXPECT_LE(off, tolerance);
}

TEST_F(CudaLoad, StopsWithinTwoPieces) {
  const Schedule schedule = schedule_of("step:on=20");
  const auto load = prepared(schedule);
  ASSERT_TRUE(load);
  std::stop_source source;
  const std::jthread stopper([&] {
    clock_.sleep_until(clock_.now() + milliseconds(100));
    source.request_stop();
  });
  const auto execution = load->play(schedule, clock_.now(), source.get_token());
  ASSERT_TRUE(execution) << execution.error().message;
  ASSERT_EQ(execution->activity.size(), 1U);
  EXPECT_LT(seconds_between(execution->begin, execution->end), 0.1 + 2 * 0.08 + 0.2);
  EXPECT_GE(execution->end, execution->activity[0].end);
}

TEST_F(CudaLoad, SleepsWhileTheGpuWorks) {
  const Schedule schedule = schedule_of("fma:on=0.4");
  const auto load = prepared(schedule);
  ASSERT_TRUE(load);
  const auto before = processor_time(CLOCK_THREAD_CPUTIME_ID);
  ASSERT_TRUE(load->play(schedule, clock_.now(), {}));
  // Five pieces and one edge of 0.1 ms spinning; a thread that spins would take all of 0.4 s.
  EXPECT_LT(Seconds(processor_time(CLOCK_THREAD_CPUTIME_ID) - before).count(), 0.1);
}

TEST_F(CudaLoad, SaysWhatTheCompilerSaid) {
  const Error error = prepare_error("jit");
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("CUDA_ERROR_INVALID_PTX (218)"),
                    HasSubstr("line 12; fatal   : the test asked for it"), HasSubstr("update")));
}

TEST_F(CudaLoad, SaysWhenALaunchFails) {
  EXPECT_THAT(prepare_error("launch").message,
              AllOf(HasSubstr("cannot launch"), HasSubstr("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")));
  const Error error = prepare_error("run");
  EXPECT_EQ(error.code, Errc::device);
  EXPECT_THAT(error.message, AllOf(HasSubstr("CUDA_ERROR_LAUNCH_FAILED (719)"), HasSubstr("Xid")));
}

TEST_F(CudaLoad, SaysWhenThereIsNoDevice) {
  for (const char* fault : {"init", "devices"}) {
    const Error error = prepare_error(fault);
    EXPECT_EQ(error.code, Errc::unavailable);
    EXPECT_THAT(error.message, HasSubstr("CUDA_VISIBLE_DEVICES"));
  }
}

TEST_F(CudaLoad, RefusesAGpuThatCalculatesWrongly) {
  const Error error = prepare_error("result");
  EXPECT_EQ(error.code, Errc::device);
  EXPECT_THAT(error.message, AllOf(HasSubstr("instead of 1"), HasSubstr("do not trust")));
}

TEST_F(CudaLoad, RefusesStretchesTooShortToPlay) {
  auto load = make();
  ASSERT_TRUE(load);
  const auto ready = (*load)->prepare(schedule_of("burst:on=50us,count=2"));
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::invalid_argument);
  EXPECT_THAT(ready.error().message, AllOf(HasSubstr("0.050 ms"), HasSubstr("at least 0.1 ms")));
  EXPECT_FALSE((*load)->play(schedule_of("step"), clock_.now(), {}));  // not prepared
}

}  // namespace
}  // namespace truewatt::load
