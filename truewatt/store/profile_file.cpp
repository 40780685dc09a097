#include "truewatt/store/profile_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

#include "truewatt/store/text_file.hpp"

namespace truewatt::store {
namespace {

namespace fs = std::filesystem;

/// Keeps letters, digits, '.' and '-'; writes every other byte as %XX. One to one, so two devices
/// never share a file.
std::string file_name_part(std::string_view text) {
  std::string part;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (is_plain) {
      part += c;
    } else {
      part += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return part;
}

/// Where a kind of file is kept: `folder/UUID@DRIVER[@SOURCE].json`.
struct Place {
  fs::path folder;
  std::string prefix;  ///< up to the driver
  std::string suffix;  ///< behind the driver

  fs::path file(std::string_view driver) const {
    return folder / (prefix + file_name_part(driver) + suffix);
  }
};

Place profile_place(const fs::path& directory, const DeviceIdentity& device) {
  return {directory / "profiles", fmt::format("{}@", file_name_part(device.uuid)), ".json"};
}

Place calibration_place(const fs::path& directory, const DeviceIdentity& device, SourceId source) {
  return {directory / "calibrations", fmt::format("{}@", file_name_part(device.uuid)),
          fmt::format("@{}.json", file_name_part(to_string(source)))};
}

Place table_place(const fs::path& directory, std::string_view kind, const DeviceIdentity& device) {
  return {directory / "tables", fmt::format("{}@", file_name_part(device.uuid)),
          fmt::format("@{}.json", file_name_part(kind))};
}

/// Files of any driver, in order of their names. A folder that is not there has none.
std::vector<fs::path> files_of_any_driver(const Place& place) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(place.folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool ours = name.starts_with(place.prefix) && name.ends_with(place.suffix);
    if (ours) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<fs::path> save(const fs::path& path, std::string_view json) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    const Errc code = error == std::errc::permission_denied ? Errc::permission : Errc::io;
    return Unexpected(code, fmt::format("cannot make the folder {}: {}",
                                        path.parent_path().string(), error.message()));
  }
  if (const auto written = write_file_atomically(path, json); !written) {
    return Unexpected(written.error());
  }
  return path;
}

/// What cannot be read back must not be saved.
template <class T>
Result<void> check_readable(const Result<T>& read_back) {
  if (read_back) return {};
  return Unexpected(Errc::invalid_argument, read_back.error().message);
}

}  // namespace

Result<Profile> read_profile(const fs::path& path) {
  const auto text = read_text_file(path);
  if (!text) return Unexpected(text.error());
  return profile_from_json(*text, path.string());
}

Result<Calibration> read_calibration(const fs::path& path) {
  const auto text = read_text_file(path);
  if (!text) return Unexpected(text.error());
  return calibration_from_json(*text, path.string());
}

Result<fs::path> default_directory() {
  // The XDG specification has relative paths ignored.
  const char* data_home = std::getenv("XDG_DATA_HOME");
  if (data_home != nullptr && data_home[0] == '/') return fs::path(data_home) / "truewatt";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return fs::path(home) / ".local/share/truewatt";
  return Unexpected(Errc::unavailable,
                    "neither XDG_DATA_HOME nor HOME names a folder for profiles; set one of them");
}

Result<std::optional<FoundProfile>> find_profile(const fs::path& directory,
                                                 const DeviceIdentity& device) {
  const Place place = profile_place(directory, device);
  const fs::path exact = place.file(device.driver);
  auto same = read_profile(exact);
  if (same) return std::optional(FoundProfile{std::move(*same), exact, true});
  if (same.error().code != Errc::unavailable) return Unexpected(same.error());
  std::optional<FoundProfile> newest;
  for (const fs::path& path : files_of_any_driver(place)) {
    auto other = read_profile(path);
    if (!other) continue;
    if (!newest || other->created >= newest->profile.created) {
      newest = FoundProfile{std::move(*other), path, false};
    }
  }
  return newest;
}

Result<std::optional<FoundCalibration>> find_calibration(const fs::path& directory,
                                                         const DeviceIdentity& device,
                                                         SourceId source) {
  const Place place = calibration_place(directory, device, source);
  const fs::path exact = place.file(device.driver);
  auto same = read_calibration(exact);
  if (same) return std::optional(FoundCalibration{std::move(*same), exact, true});
  if (same.error().code != Errc::unavailable) return Unexpected(same.error());
  std::optional<FoundCalibration> last;
  for (const fs::path& path : files_of_any_driver(place)) {
    auto other = read_calibration(path);
    if (other) last = FoundCalibration{std::move(*other), path, false};
  }
  return last;
}

Result<std::optional<FoundTable>> find_table(const fs::path& directory, std::string_view kind,
                                             const DeviceIdentity& device) {
  const Place place = table_place(directory, kind, device);
  const fs::path exact = place.file(device.driver);
  auto same = read_text_file(exact);
  if (same) return std::optional(FoundTable{std::move(*same), exact, true});
  if (same.error().code != Errc::unavailable) return Unexpected(same.error());
  std::optional<FoundTable> last;
  for (const fs::path& path : files_of_any_driver(place)) {
    auto other = read_text_file(path);
    if (other) last = FoundTable{std::move(*other), path, false};
  }
  return last;
}

Result<fs::path> save_table(const fs::path& directory, std::string_view kind,
                            const DeviceIdentity& device, std::string_view json) {
  return save(table_place(directory, kind, device).file(device.driver), json);
}

Result<fs::path> save_profile(const fs::path& directory, const Profile& profile) {
  const std::string json = profile_to_json(profile);
  const auto checked = check_readable(profile_from_json(json, "the profile"));
  if (!checked) return Unexpected(checked.error());
  return save(profile_place(directory, profile.device).file(profile.device.driver), json);
}

Result<fs::path> save_calibration(const fs::path& directory, const Calibration& calibration) {
  const std::string json = calibration_to_json(calibration);
  const auto checked = check_readable(calibration_from_json(json, "the calibration"));
  if (!checked) return Unexpected(checked.error());
  const Place place = calibration_place(directory, calibration.device, calibration.source);
  return save(place.file(calibration.device.driver), json);
}

}  // namespace truewatt::store
