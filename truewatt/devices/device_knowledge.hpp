#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::devices {

/// What is known of one device beside its readings, for the estimator and for people.
struct DeviceKnowledge {
  std::optional<Profile> profile;
  std::optional<Profile> published;  ///< the catalogue's, where there is no profile
  std::vector<Calibration> calibrations;
  std::vector<energy::Reason> reservations;
  std::vector<std::string> notes;  ///< sentences; those that begin with "warning: " need attention

  energy::Knowledge for_estimates() const {
    return {.profile = profile ? &*profile : nullptr,
            .calibrations = calibrations,
            .published = published ? &*published : nullptr,
            .reservations = reservations};
  }

  /// What is known of the sources, however well; null without either.
  const Profile* any() const {
    if (profile) return &*profile;
    return published ? &*published : nullptr;
  }
};

/// Whose it is meant for. Fields that are empty are not known, and nothing is held against them.
struct KnownDevice {
  DeviceIdentity identity;
  std::string label;  ///< how to call it: "GPU 0"
};

/// A profile and the file that it was read from.
struct NamedProfile {
  Profile profile;
  std::filesystem::path path;
};

/// Reads the files of `--profile`. Errors: those of reading; invalid_argument where two of them are
/// of one device.
Result<std::vector<NamedProfile>> read_profiles(const std::vector<std::filesystem::path>& paths);

/// Takes the profile that was named for the device: of several files the one with its UUID, and a
/// warning says so where there is none; of one file that one (use_profile()). Returns which.
const NamedProfile* use_named_profile(DeviceKnowledge& known, const KnownDevice& device,
                                      const std::vector<NamedProfile>& named);

/// Takes a profile from a file. Of another device of the same product, or under another driver, it
/// is used with a warning, and where a UUID is not known with a note; of another product, or of a
/// published protocol, whose intervals are no
/// 95 % intervals, it is not used, and a warning says so.
void use_profile(DeviceKnowledge& known, const KnownDevice& device, const Profile& profile,
                 const std::filesystem::path& path);

/// Takes a calibration from a file: with a warning when it was made under another driver. That of
/// another board is not used, as gain and offset are one board's.
void use_calibration(DeviceKnowledge& known, const KnownDevice& device,
                     const Calibration& calibration, const std::filesystem::path& path);

/// Lets what is published stand in for a profile that is missing; `answering` as for
/// catalogue::fallback_profile(). Nothing beside a profile.
void use_catalogue(DeviceKnowledge& known, const KnownDevice& device,
                   const std::vector<SourceId>& answering);

}  // namespace truewatt::devices
