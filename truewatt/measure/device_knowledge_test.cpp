#include "truewatt/devices/device_knowledge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/measure/measurement.hpp"
#include "truewatt/model/device_description.hpp"

namespace truewatt::measure {
namespace {

using energy::Reason;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const devices::KnownDevice kDevice{
    {.name = "NVIDIA A100-PCIE-40GB", .uuid = "GPU-1", .driver = "535.1"}, "GPU 0"};

Profile profile_of(DeviceIdentity device, Coded<PublishedProtocol> protocol = {}) {
  Profile profile{.device = std::move(device), .protocol = std::move(protocol)};
  profile.sources = {{.source = {SourceKind::power_instant, Scope::gpu}}};
  return profile;
}

TEST(DeviceKnowledge, OfTheDeviceItselfItIsUsedWithoutAWord) {
  devices::DeviceKnowledge known;
  devices::use_profile(known, kDevice, profile_of(kDevice.identity), "p.json");
  devices::use_calibration(known, kDevice, {.device = kDevice.identity}, "c.json");
  EXPECT_TRUE(known.profile);
  EXPECT_EQ(known.calibrations.size(), 1U);
  EXPECT_THAT(known.notes, IsEmpty());
  EXPECT_THAT(known.reservations, IsEmpty());
}

TEST(DeviceKnowledge, OfAnotherDriverItIsUsedWithAWarning) {
  DeviceIdentity older = kDevice.identity;
  older.driver = "525.1";
  devices::DeviceKnowledge known;
  devices::use_profile(known, kDevice, profile_of(older), "p.json");
  devices::use_calibration(known, kDevice, {.device = older}, "c.json");
  EXPECT_TRUE(known.profile);
  EXPECT_EQ(known.calibrations.size(), 1U);
  EXPECT_THAT(known.reservations, ElementsAre(Reason::other_driver));
  EXPECT_THAT(known.notes,
              ElementsAre("warning: profile p.json was made under driver 525.1, GPU 0 has 535.1: "
                          "make it again",
                          "warning: calibration c.json was made under driver 525.1, GPU 0 has "
                          "535.1: make it again"));
}

TEST(DeviceKnowledge, AnotherBoardsCalibrationIsNotUsed) {
  devices::DeviceKnowledge known;
  devices::use_calibration(
      known, kDevice, {.device = {.name = "NVIDIA A100-PCIE-40GB", .uuid = "GPU-2"}}, "c.json");
  EXPECT_THAT(known.calibrations, IsEmpty());
  EXPECT_THAT(known.reservations, ElementsAre(Reason::calibration_ignored));
  EXPECT_THAT(known.notes, ElementsAre(StartsWith("warning: calibration c.json was made on "
                                                  "another device")));
}

TEST(DeviceKnowledge, AnotherBoardsProfileHoldsForItsProductOnly) {
  devices::DeviceKnowledge same;
  devices::use_profile(same, kDevice,
                       profile_of({.name = "NVIDIA A100-SXM4-80GB", .uuid = "GPU-2"}), "p");
  EXPECT_TRUE(same.profile);
  EXPECT_THAT(same.reservations, ElementsAre(Reason::other_device));
  devices::DeviceKnowledge other;
  devices::use_profile(other, kDevice, profile_of({.name = "NVIDIA H200", .uuid = "GPU-2"}), "p");
  EXPECT_FALSE(other.profile);
  EXPECT_THAT(other.reservations, ElementsAre(Reason::profile_ignored));
  EXPECT_THAT(other.notes, ElementsAre(HasSubstr("was made on another device (NVIDIA H200")));
}

std::vector<devices::NamedProfile> profiles_of_two_boards() {
  const std::string name = "NVIDIA A100-SXM4-80GB";
  return {{profile_of({.name = name, .uuid = "GPU-1"}), "one.json"},
          {profile_of({.name = name, .uuid = "GPU-2"}), "two.json"}};
}

TEST(DeviceKnowledge, OfSeveralProfilesEachDeviceTakesItsOwn) {
  const auto named = profiles_of_two_boards();
  for (const std::size_t i : {0U, 1U}) {
    devices::KnownDevice device = kDevice;
    device.identity.uuid = named[i].profile.device.uuid;
    devices::DeviceKnowledge known;
    EXPECT_EQ(devices::use_named_profile(known, device, named), &named[i]);
    ASSERT_TRUE(known.profile);
    EXPECT_EQ(known.profile->device.uuid, device.identity.uuid);
    EXPECT_THAT(known.notes, IsEmpty());
  }
}

TEST(DeviceKnowledge, OfSeveralProfilesNoneIsUsedForAnotherBoard) {
  for (const std::string uuid : {"GPU-3", ""}) {
    devices::KnownDevice device = kDevice;
    device.identity.uuid = uuid;
    devices::DeviceKnowledge known;
    EXPECT_EQ(devices::use_named_profile(known, device, profiles_of_two_boards()), nullptr);
    EXPECT_FALSE(known.profile);
    EXPECT_THAT(known.reservations, ElementsAre(Reason::profile_ignored));
    EXPECT_THAT(known.notes, ElementsAre(HasSubstr("none of the 2 profiles was made on GPU 0")));
  }
}

// As of a log that names its GPU and no UUID.
TEST(DeviceKnowledge, OfAnotherProductItIsNotUsedWhereNobodyKnowsTheBoard) {
  const devices::KnownDevice named{{.name = "NVIDIA H200"}, "the recorded GPU"};
  devices::DeviceKnowledge other;
  devices::use_profile(other, named, profile_of(kDevice.identity), "p.json");
  EXPECT_FALSE(other.profile);
  EXPECT_THAT(other.reservations, ElementsAre(Reason::profile_ignored));
  EXPECT_THAT(other.notes, ElementsAre(HasSubstr("was made on a NVIDIA A100-PCIE-40GB")));
  devices::DeviceKnowledge same;
  devices::use_profile(same, named, profile_of({.name = "NVIDIA H200", .uuid = "GPU-2"}), "p");
  EXPECT_TRUE(same.profile);
  EXPECT_THAT(same.reservations, IsEmpty());
  EXPECT_THAT(same.notes, ElementsAre(HasSubstr("nothing says whether")));
}

TEST(DeviceKnowledge, WhatIsNotKnownIsNotHeldAgainstIt) {
  const devices::KnownDevice nameless{{}, "the recorded GPU"};
  devices::DeviceKnowledge known;
  devices::use_profile(known, nameless, profile_of(kDevice.identity), "p.json");
  devices::use_calibration(known, nameless, {.device = kDevice.identity}, "c.json");
  EXPECT_TRUE(known.profile);
  EXPECT_EQ(known.calibrations.size(), 1U);
  EXPECT_THAT(known.reservations, IsEmpty());
}

TEST(DeviceKnowledge, APublishedProtocolsProfileIsNotUsed) {
  for (const char* protocol : {"yang", "burtscher", "one that a newer program knows"}) {
    const auto made_by = Coded<PublishedProtocol>::read(protocol, parse_published_protocol);
    devices::DeviceKnowledge known;
    devices::use_profile(known, kDevice, profile_of(kDevice.identity, made_by), "p.json");
    EXPECT_FALSE(known.profile) << protocol;
    EXPECT_THAT(known.reservations, ElementsAre(Reason::profile_ignored));
    EXPECT_THAT(known.notes, ElementsAre(HasSubstr("characterize without --protocol")));
  }
}

TEST(DeviceKnowledge, TheCatalogueStandsInForAProfileThatIsMissing) {
  devices::DeviceKnowledge known;
  devices::use_catalogue(known, kDevice, {{SourceKind::power_instant, Scope::gpu}});
  ASSERT_TRUE(known.published);
  EXPECT_EQ(known.for_estimates().published, &*known.published);
  EXPECT_EQ(known.for_estimates().profile, nullptr);
  EXPECT_THAT(known.notes, ElementsAre(HasSubstr("published values of such GPUs are used")));
  devices::DeviceKnowledge characterized;
  devices::use_profile(characterized, kDevice, profile_of(kDevice.identity), "p.json");
  devices::use_catalogue(characterized, kDevice, {});
  EXPECT_FALSE(characterized.published);
  devices::DeviceKnowledge unknown;
  devices::use_catalogue(unknown, {{.name = "NVIDIA B300"}, "GPU 0"}, {});
  EXPECT_FALSE(unknown.published);
  EXPECT_THAT(unknown.notes, ElementsAre(HasSubstr("lags and windows are unknown")));
}

// Published behaviour is a prior as wide as its board may differ from it: whatever it makes of the
// interval, that holds the truth, gain and all.
TEST(Fallback, HoldsTheTruthOnBuiltInDevicesAsOftenAsItSays) {
  int covered_sources = 0;
  int held = 0;
  int told = 0;
  for (const std::string& name : builtin_device_names()) {
    auto set = devices::open_devices({.selectors = {"sim:" + name}}, {}).value();
    ASSERT_TRUE(set.devices[0].known.published) << name;
    const auto schedule = load::parse_schedule("square:period=73ms,duty=0.3,duration=2s", 1);
    const Measurement measurement = measure(set, *schedule, {}, {}).value();
    const Recording& recording = measurement.recordings.at(0);
    const double truth = measurement.run.devices.at(0).truth->value();
    for (const Trace& trace : recording.traces) {
      // Of a GH200, some sources see the module, under the GPU's name.
      if (trace.source.scope != Scope::gpu || name == "gh200") continue;
      const auto found = energy::estimate_energy(
          recording, recording.windows.at(0), set.devices[0].knowledge(), {.source = trace.source});
      if (!found.energy) continue;
      ++told;
      const Interval& interval = found.energy->interval;
      held += interval.lower <= truth && truth <= interval.upper;
      EXPECT_EQ(found.profile->provenance(), "catalogue");
      covered_sources += energy::rests_on_catalogue(found) ? 1 : 0;
    }
  }
  EXPECT_GE(covered_sources, 10);
  // Of 31 intervals of 95 % one or two miss. One does: an RTX 3090, whose gain of 0.951 is 1.3
  // standard uncertainties off, by the one average over a second that errs by 2.1 of its own.
  EXPECT_GE(held, told - 1);
}

}  // namespace
}  // namespace truewatt::measure
