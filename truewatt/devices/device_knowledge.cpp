#include "truewatt/devices/device_knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/model/catalogue_profile.hpp"
#include "truewatt/model/product_names.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::devices {
namespace {

bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

bool same_product(const std::string& a, const std::string& b) {
  if (!a.empty() && a == b) return true;
  const auto product = catalogue::find_product(a);
  return product && product == catalogue::find_product(b);
}

void reserve(DeviceKnowledge& known, energy::Reason reason, std::string warning) {
  energy::add_reason(known.reservations, reason);
  known.notes.push_back("warning: " + std::move(warning));
}

void check_driver(DeviceKnowledge& known, const KnownDevice& device, const DeviceIdentity& made_on,
                  const std::string& what) {
  if (!differ(made_on.driver, device.identity.driver)) return;
  reserve(known, energy::Reason::other_driver,
          fmt::format("{} was made under driver {}, {} has {}: make it again", what, made_on.driver,
                      device.label, device.identity.driver));
}

const NamedProfile* find_profile_of(const std::vector<NamedProfile>& named,
                                    const std::string& uuid) {
  const auto found = std::find_if(named.begin(), named.end(), [&](const NamedProfile& one) {
    return !uuid.empty() && one.profile.device.uuid == uuid;
  });
  return found == named.end() ? nullptr : &*found;
}

}  // namespace

Result<std::vector<NamedProfile>> read_profiles(const std::vector<std::filesystem::path>& paths) {
  std::vector<NamedProfile> named;
  for (const std::filesystem::path& path : paths) {
    auto profile = store::read_profile(path);
    if (!profile) return Unexpected(profile.error());
    const DeviceIdentity& device = profile->device;
    if (const NamedProfile* other = find_profile_of(named, device.uuid)) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("profiles {} and {} are both of {} ({}); name one of them",
                                    other->path.string(), path.string(), device.name, device.uuid));
    }
    named.push_back({*std::move(profile), path});
  }
  return named;
}

const NamedProfile* use_named_profile(DeviceKnowledge& known, const KnownDevice& device,
                                      const std::vector<NamedProfile>& named) {
  if (named.empty()) return nullptr;
  const DeviceIdentity& identity = device.identity;
  const NamedProfile* own = named.size() == 1 ? &named[0] : find_profile_of(named, identity.uuid);
  if (own == nullptr) {
    reserve(known, energy::Reason::profile_ignored,
            fmt::format("none of the {} profiles was made on {} ({}); none is used for it: "
                        "characterize it",
                        named.size(), device.label,
                        identity.uuid.empty() ? "UUID unknown" : identity.uuid));
    return nullptr;
  }
  use_profile(known, device, own->profile, own->path);
  return known.profile ? own : nullptr;
}

void use_profile(DeviceKnowledge& known, const KnownDevice& device, const Profile& profile,
                 const std::filesystem::path& path) {
  const std::string what = "profile " + path.string();
  if (!profile.protocol.empty()) {
    reserve(known, energy::Reason::profile_ignored,
            fmt::format("{} holds the numbers of `--protocol {}`, whose intervals are no 95 % "
                        "intervals; it is not used: characterize without --protocol",
                        what, profile.protocol.code()));
    return;
  }
  const DeviceIdentity& made_on = profile.device;
  if (differ(made_on.uuid, device.identity.uuid)) {
    const std::string whose =
        fmt::format("{} was made on another device ({}, {})", what, made_on.name, made_on.uuid);
    if (!same_product(made_on.name, device.identity.name)) {
      reserve(known, energy::Reason::profile_ignored,
              fmt::format("{}; it is not used for {}: characterize it", whose, device.label));
      return;
    }
    reserve(
        known, energy::Reason::other_device,
        fmt::format("{}; its numbers may not hold for {}: characterize it", whose, device.label));
  }
  const bool is_nameless = made_on.uuid.empty() || device.identity.uuid.empty();
  if (is_nameless && differ(made_on.name, device.identity.name) &&
      !same_product(made_on.name, device.identity.name)) {
    reserve(known, energy::Reason::profile_ignored,
            fmt::format("{} was made on a {}; it is not used for {}, a {}: characterize it", what,
                        made_on.name, device.label, device.identity.name));
    return;
  }
  if (is_nameless) {
    known.notes.push_back(fmt::format("{}, of a {}, is used; nothing says whether {} is that board",
                                      what, made_on.name, device.label));
  }
  check_driver(known, device, made_on, what);
  known.profile = profile;
}

void use_calibration(DeviceKnowledge& known, const KnownDevice& device,
                     const Calibration& calibration, const std::filesystem::path& path) {
  const std::string what = "calibration " + path.string();
  const DeviceIdentity& made_on = calibration.device;
  if (differ(made_on.uuid, device.identity.uuid)) {
    reserve(known, energy::Reason::calibration_ignored,
            fmt::format("{} was made on another device ({}, {}), and gain and offset are one "
                        "board's; it is not used for {}: calibrate it",
                        what, made_on.name, made_on.uuid, device.label));
    return;
  }
  check_driver(known, device, made_on, what);
  known.calibrations.push_back(calibration);
}

void use_catalogue(DeviceKnowledge& known, const KnownDevice& device,
                   const std::vector<SourceId>& answering) {
  if (known.profile) return;
  known.published = catalogue::fallback_profile(device.identity, answering);
  known.notes.push_back(
      known.published
          ? fmt::format(
                "{} is not characterized: published values of such GPUs are used, with wide "
                "intervals; `truewatt characterize`, needed once, takes a minute{}",
                device.label,
                device.label.starts_with("sim:")
                    ? " (of a simulated GPU name it: --json FILE, then "
                      "--profile FILE)"
                    : "")
          : fmt::format("{} is not characterized: its sensors' lags and windows are unknown; "
                        "`truewatt characterize` makes one",
                        device.label));
}

}  // namespace truewatt::devices
