#include "truewatt/load/cuda/driver_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/load/cuda/cuda_load.hpp"
#include "truewatt/load/cuda/device_search.hpp"

namespace truewatt::load {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(CudaDriver, IsUnavailableWithoutItsLibrary) {
  const auto api = cuda::DriverApi::open("libtruewatt_no_such_driver.so.1");
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().code, Errc::unavailable);
  EXPECT_THAT(api.error().message,
              AllOf(HasSubstr("libtruewatt_no_such_driver.so.1"), HasSubstr("sim:h100")));
}

TEST(CudaDriver, NamesTheEntryPointThatALibraryLacks) {
  const auto api = cuda::DriverApi::open("libm.so.6");
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().code, Errc::unsupported);
  EXPECT_THAT(api.error().message, AllOf(HasSubstr("libm.so.6"), HasSubstr("cuInit")));
}

TEST(CudaDevice, UuidIsWrittenAsNvmlWritesIt) {
  cuda::DriverUuid uuid{};
  for (unsigned i = 0; i < 16; ++i) uuid.bytes[i] = static_cast<unsigned char>(0x10 * i + 1);
  EXPECT_EQ(cuda::format_uuid(uuid), "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1");
}

TEST(CudaDevice, PciAddressesOfNvmlAndCudaCompare) {
  EXPECT_EQ(cuda::parse_pci_address("00000000:1B:00.0"), cuda::parse_pci_address("0000:1b:00.0"));
  EXPECT_NE(cuda::parse_pci_address("0000:1b:00.0"), cuda::parse_pci_address("0001:1b:00.0"));
  EXPECT_EQ(cuda::parse_pci_address("0000:1b:02.0"), (cuda::PciAddress{0, 0x1B, 2}));
  for (const char* bad : {"", "1b:00.0", "0000:1b:00", "0000:xx:00.0", ":::."}) {
    EXPECT_FALSE(cuda::parse_pci_address(bad)) << bad;
  }
}

TEST(CudaLoad, LevelIsAShareOfTheMultiprocessors) {
  EXPECT_EQ(blocks_for_level(1.0, 132), 132U);
  EXPECT_EQ(blocks_for_level(0.2, 132), 26U);
  EXPECT_EQ(blocks_for_level(0.001, 132), 1U);  // the paper's 1 % and below: one block
  EXPECT_EQ(blocks_for_level(0.0, 132), 0U);
}

/// Only what make_cuda_load looks at.
class VirtualClock final : public Clock {
 public:
  HostTime now() const override { return {}; }
  DriverTime realtime_now() const override { return {}; }
  void sleep_until(HostTime) override {}
  bool is_virtual() const override { return true; }
};

TEST(CudaLoad, RefusesAVirtualClock) {
  VirtualClock clock;
  const auto load = make_cuda_load({0, "NVIDIA H200", "GPU-1", "", "580"}, clock);
  ASSERT_FALSE(load);
  EXPECT_EQ(load.error().code, Errc::invalid_argument);
  EXPECT_THAT(load.error().message, HasSubstr("NVIDIA H200"));
}

}  // namespace
}  // namespace truewatt::load
