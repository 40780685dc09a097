#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::store {

/// Profiles and calibrations as JSON, schemas `truewatt.profile/1` and `truewatt.calibration/1`
/// (docs/architecture.md, "JSON"). The device's index is of the day and is not kept. Reading checks
/// every value that it takes and ignores keys that it does not know; `origin` (a file name) begins
/// every error message. Pure functions: numbers come back bit for bit, absent ones as absent.
std::string profile_to_json(const Profile& profile);
Result<Profile> profile_from_json(std::string_view text, std::string_view origin);

std::string calibration_to_json(const Calibration& calibration);
Result<Calibration> calibration_from_json(std::string_view text, std::string_view origin);

/// The same from a file that the user named.
Result<Profile> read_profile(const std::filesystem::path& path);
Result<Calibration> read_calibration(const std::filesystem::path& path);

/// $XDG_DATA_HOME/truewatt, or ~/.local/share/truewatt. Unavailable when the environment names
/// neither.
Result<std::filesystem::path> default_directory();

/// A profile that was saved for a device, under its present driver or under another one.
struct FoundProfile {
  Profile profile;
  std::filesystem::path path;
  bool same_driver = true;  ///< false: `profile.device.driver` names the driver it was made under
};

struct FoundCalibration {
  Calibration calibration;
  std::filesystem::path path;
  bool same_driver = true;
};

/// The profile kept in `directory` for the device with this UUID: that of its driver, else the
/// newest of another driver, else nothing. A damaged file of the same driver is an error, one of
/// another driver is passed over.
Result<std::optional<FoundProfile>> find_profile(const std::filesystem::path& directory,
                                                 const DeviceIdentity& device);
/// Likewise one source's calibration; of those made under other drivers, the last by name.
Result<std::optional<FoundCalibration>> find_calibration(const std::filesystem::path& directory,
                                                         const DeviceIdentity& device,
                                                         SourceId source);

/// A document of a kind of table ("memory") that was saved for a device.
struct FoundTable {
  std::string json;
  std::filesystem::path path;
  bool same_driver = true;
};
/// Likewise the table of that kind.
Result<std::optional<FoundTable>> find_table(const std::filesystem::path& directory,
                                             std::string_view kind, const DeviceIdentity& device);
/// Saves a table as save_profile() does.
Result<std::filesystem::path> save_table(const std::filesystem::path& directory,
                                         std::string_view kind, const DeviceIdentity& device,
                                         std::string_view json);

/// Saves for the device and driver that it names, replacing an older one in one step; returns the
/// file's path. Makes the folder when needed. invalid_argument when it could not be read back.
Result<std::filesystem::path> save_profile(const std::filesystem::path& directory,
                                           const Profile& profile);
Result<std::filesystem::path> save_calibration(const std::filesystem::path& directory,
                                               const Calibration& calibration);

}  // namespace truewatt::store
