#include "truewatt/sensor/nvml/device_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::sensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<std::size_t>;

/// Four GPUs of one model; indices leave out 2, which belongs to somebody else.
DeviceInventory four_gpus() {
  const std::string name = "NVIDIA A100";
  return {{{0, name, "GPU-aaaa1111-0000", "00000000:07:00.0", ""},
           {1, name, "GPU-aaaa2222-0000", "00000000:0F:00.0", ""},
           {3, name, "GPU-bbbb3333-0000", "00000001:0F:00.0", ""},
           {4, name, "GPU-cccc4444-0000", "00000001:47:00.0", ""}},
          {{"MIG-11111111-aaaa", "GPU-bbbb3333-0000"}, {"MIG-22222222-bbbb", "GPU-bbbb3333-0000"}}};
}

Positions positions_of(const Result<std::vector<SelectedDevice>>& selection) {
  Positions positions;
  if (!selection) return positions;
  for (const auto& device : *selection) positions.push_back(device.position);
  return positions;
}

Positions explicitly(const std::vector<std::string>& selectors) {
  return positions_of(select_devices(four_gpus(), selectors, {}));
}

Error refusal(const std::string& selector) {
  const std::vector<std::string> selectors{selector};
  const auto selection = select_devices(four_gpus(), selectors, {});
  return selection ? Error{} : selection.error();
}

Positions visible(const std::string& list) {
  return positions_of(select_devices(four_gpus(), {}, {list, std::nullopt}));
}

TEST(DeviceSelection, WithoutAnySelectorEveryGpuIsTaken) {
  EXPECT_EQ(positions_of(select_devices(four_gpus(), {}, {})), (Positions{0, 1, 2, 3}));
}

TEST(DeviceSelection, IndexIsTheDriversNotThePositionInTheList) {
  EXPECT_EQ(explicitly({"3"}), Positions{2});
  EXPECT_EQ(refusal("2").code, Errc::invalid_argument);
}

TEST(DeviceSelection, TwoDigitIndicesAreWholeNumbers) {
  auto inventory = four_gpus();
  inventory.devices[3].index = 10;
  const std::vector<std::string> selectors{"10"};
  EXPECT_EQ(positions_of(select_devices(inventory, selectors, {})), Positions{3});
}

TEST(DeviceSelection, UuidOrItsUnambiguousBeginningIsEnough) {
  EXPECT_EQ(explicitly({"GPU-bbbb3333-0000"}), Positions{2});
  EXPECT_EQ(explicitly({"gpu-BBBB"}), Positions{2});
  EXPECT_THAT(refusal("GPU-aaaa").message, HasSubstr("more than one"));
  EXPECT_THAT(refusal("GPU-ffff").message, HasSubstr("names no GPU"));
}

TEST(DeviceSelection, PciIdIsUnderstoodInEverySpelling) {
  EXPECT_EQ(explicitly({"00000001:0F:00.0"}), Positions{2});
  EXPECT_EQ(explicitly({"0001:0f:00.0"}), Positions{2});
  EXPECT_EQ(explicitly({"0f:00.0"}), Positions{1}) << "without a domain it is domain 0";
  EXPECT_EQ(refusal("0002:0f:00.0").code, Errc::invalid_argument);
}

TEST(DeviceSelection, PciAddressesAreParsedWholeOrNotAtAll) {
  EXPECT_EQ(parse_pci("0000:1b:00.0"), (PciAddress{0, 0x1b, 0}));
  EXPECT_EQ(parse_pci("0008:06:00.0"), (PciAddress{8, 6, 0}));
  for (const auto* text : {"", "1b", "1b:00", "x:1b:00.0", "0:1b:zz.0", "0:0:1b:00.0", ":.", "."}) {
    EXPECT_EQ(parse_pci(text), std::nullopt) << text;
  }
}

TEST(DeviceSelection, AllTakesEveryGpuAndRepetitionsCountOnce) {
  EXPECT_EQ(explicitly({"all"}), (Positions{0, 1, 2, 3}));
  EXPECT_EQ(explicitly({"4", "all", "0"}), (Positions{3, 0, 1, 2}));
}

TEST(DeviceSelection, NonsenseIsAnErrorThatNamesItself) {
  for (const auto* selector : {"", "foo", "-1", "0x1", "1,2"}) {
    const auto error = refusal(selector);
    EXPECT_EQ(error.code, Errc::invalid_argument) << selector;
    EXPECT_THAT(error.message, HasSubstr(std::string("'") + selector + "'"));
  }
}

TEST(DeviceSelection, MigInstanceStandsForItsParentAndSaysSo) {
  const std::vector<std::string> selectors{"MIG-1111"};
  const auto selection = select_devices(four_gpus(), selectors, {});
  EXPECT_EQ(positions_of(selection), Positions{2});
  EXPECT_THAT(selection->front().notes, ElementsAre(HasSubstr("whole parent GPU")));
  EXPECT_EQ(selection->front().instance, "MIG-11111111-aaaa");
  EXPECT_EQ(explicitly({"MIG-GPU-cccc4444-0000/1/0"}), Positions{3});
  EXPECT_EQ(explicitly({"MIG-1111", "MIG-2222"}), Positions{2}) << "one parent, measured once";
  EXPECT_THAT(refusal("MIG-ffff").message, HasSubstr("names no MIG instance"));
}

TEST(DeviceSelection, ExplicitIndicesAreNotRenumberedAndSaySo) {
  const std::vector<std::string> selectors{"0"};
  const auto selection = select_devices(four_gpus(), selectors, {"1", std::nullopt});
  EXPECT_EQ(positions_of(selection), Positions{0});
  EXPECT_THAT(selection->front().notes, ElementsAre(HasSubstr("does not renumber")));
}

TEST(CudaVisibleDevices, IndicesCountTheUsableGpus) {
  EXPECT_EQ(visible("2"), Positions{2});
  EXPECT_EQ(visible("3, 0"), (Positions{3, 0}));
}

TEST(CudaVisibleDevices, TakesUuidsAndMigInstances) {
  EXPECT_EQ(visible("GPU-cccc,GPU-bbbb3333-0000"), (Positions{3, 2}));
  EXPECT_EQ(visible("MIG-22222222-bbbb"), Positions{2});
  EXPECT_EQ(visible("MIG-GPU-bbbb3333-0000/7/0"), Positions{2});
}

TEST(CudaVisibleDevices, EndsAtTheFirstInvalidEntry) {
  EXPECT_EQ(visible("1,-1,0"), Positions{1});
  EXPECT_EQ(visible("1,9,0"), Positions{1});
  EXPECT_EQ(visible("1,,0"), Positions{1});
  EXPECT_EQ(visible("GPU-cccc,GPU-aaaa,1"), Positions{3}) << "GPU-aaaa is ambiguous";
}

TEST(CudaVisibleDevices, HidingEveryGpuIsUnavailableAndNamesTheVariable) {
  for (const auto* list : {"", "-1", "NoDevFiles"}) {
    const auto selection = select_devices(four_gpus(), {}, {list, std::nullopt});
    ASSERT_FALSE(selection.has_value()) << list;
    EXPECT_EQ(selection.error().code, Errc::unavailable);
    EXPECT_THAT(selection.error().message, HasSubstr("CUDA_VISIBLE_DEVICES"));
  }
}

TEST(CudaVisibleDevices, DifferentGpusInDefaultOrderBringANote) {
  auto inventory = four_gpus();
  inventory.devices[1].name = "NVIDIA T400";
  const auto by_default = select_devices(inventory, {}, {"1", std::nullopt});
  EXPECT_THAT(by_default->front().notes, ElementsAre(HasSubstr("CUDA_DEVICE_ORDER=PCI_BUS_ID")));
  const auto by_pci = select_devices(inventory, {}, {"1", "PCI_BUS_ID"});
  EXPECT_THAT(by_pci->front().notes, IsEmpty());
  const auto by_uuid = select_devices(inventory, {}, {"GPU-bbbb", std::nullopt});
  EXPECT_THAT(by_uuid->front().notes, IsEmpty());
  EXPECT_THAT(select_devices(four_gpus(), {}, {"1", std::nullopt})->front().notes, IsEmpty());
}

TEST(DeviceSelection, NoGpuAtAllNamesTheSimulatedOne) {
  const std::vector<std::string> selectors{"0"};
  for (const auto& asked : {std::vector<std::string>{}, selectors}) {
    const auto selection = select_devices({}, asked, {});
    ASSERT_FALSE(selection.has_value());
    EXPECT_EQ(selection.error().code, Errc::unavailable);
    EXPECT_THAT(selection.error().message, HasSubstr("sim:h100"));
  }
}

}  // namespace
}  // namespace truewatt::sensor
