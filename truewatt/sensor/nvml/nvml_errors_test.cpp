#include "truewatt/sensor/nvml/nvml_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace truewatt::sensor::nvml {
namespace {

using ::testing::HasSubstr;

TEST(NvmlErrors, NameTheDeviceTheCallAndTheCode) {
  const auto error = describe(Return::gpu_is_lost, "GPU 3", "nvmlDeviceGetPowerUsage");
  EXPECT_EQ(error.code, Errc::device);
  EXPECT_THAT(error.message, HasSubstr("GPU 3: nvmlDeviceGetPowerUsage failed with 15"));
}

TEST(NvmlErrors, SayWhatToDo) {
  const std::tuple<Return, Errc, const char*> rows[] = {
      {Return::driver_not_loaded, Errc::unavailable, "modprobe nvidia"},
      {Return::lib_rm_version_mismatch, Errc::unavailable, "reboot"},
      {Return::no_permission, Errc::permission, "/dev/nvidiactl"},
      {Return::operating_system, Errc::permission, "--gpus all"},
      {Return::gpu_is_lost, Errc::device, "Xid"},
      {Return::reset_required, Errc::device, "reset"},
      {Return::not_supported, Errc::unsupported, "another source"},
      {Return::function_not_found, Errc::unsupported, "too old"},
      {Return::timeout, Errc::timed_out, "retry"},
  };
  for (const auto& [code, errc, advice] : rows) {
    const auto error = describe(code, "GPU 0", "call");
    EXPECT_EQ(error.code, errc) << error.message;
    EXPECT_THAT(error.message, HasSubstr(advice));
  }
}

TEST(NvmlErrors, CodesOfFutureDriversAreErrorsThatMayPass) {
  const auto error = describe(static_cast<Return>(77), "GPU 0", "call");
  EXPECT_EQ(error.code, Errc::unavailable);
  EXPECT_EQ(describe(Return::unknown, "GPU 0", "call").code, Errc::unavailable);
  EXPECT_THAT(error.message, HasSubstr("failed with 77"));
}

TEST(NvmlValues, AreReadByTheTypeThatTheDriverGives) {
  Value value{};
  value.float64 = 1.5;
  EXPECT_EQ(to_double(value, ValueType::float64), 1.5);
  value.unsigned_long_long = 0;
  value.unsigned_int = 4'000'000'000U;
  EXPECT_EQ(to_double(value, ValueType::unsigned_int), 4e9);
  value.unsigned_long = 5'000'000'000UL;
  EXPECT_EQ(to_double(value, ValueType::unsigned_long), 5e9);
  value.unsigned_long_long = 1ULL << 52;
  EXPECT_EQ(to_double(value, ValueType::unsigned_long_long), 4503599627370496.0);
  value.signed_long_long = -7;
  EXPECT_EQ(to_double(value, ValueType::signed_long_long), -7.0);
  value.signed_int = -9;
  EXPECT_EQ(to_double(value, ValueType::signed_int), -9.0);
  value.unsigned_short = 65535;
  EXPECT_EQ(to_double(value, ValueType::unsigned_short), 65535.0);
}

TEST(NvmlValues, AnUnknownTypeIsNoNumber) {
  EXPECT_EQ(to_double(Value{}, static_cast<ValueType>(42)), std::nullopt);
}

}  // namespace
}  // namespace truewatt::sensor::nvml
