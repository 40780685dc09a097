#include "truewatt/store/output_place.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <system_error>

namespace truewatt::store {
namespace {

namespace fs = std::filesystem;

/// A link in a folder that all may write, of neither us nor the folder's owner.
bool is_of_a_stranger(const fs::path& link, const fs::path& folder) {
  struct stat of_link {};
  struct stat of_folder {};
  if (::lstat(link.c_str(), &of_link) != 0 || !S_ISLNK(of_link.st_mode)) return false;
  if (::stat(folder.c_str(), &of_folder) != 0 || (of_folder.st_mode & S_IWOTH) == 0) return false;
  return of_link.st_uid != ::geteuid() && of_link.st_uid != of_folder.st_uid;
}

std::optional<fs::path> strangers_link(const fs::path& path) {
  fs::path so_far;
  for (const fs::path& part : fs::absolute(path)) {
    const fs::path folder = so_far;
    so_far /= part;
    if (!folder.empty() && is_of_a_stranger(so_far, folder)) return so_far;
  }
  return std::nullopt;
}

}  // namespace

Result<fs::path> place_of_output(const fs::path& path) {
  if (const auto link = strangers_link(path)) {
    return Unexpected(Errc::permission,
                      fmt::format("{} is a symbolic link that another user put into a folder that "
                                  "all may write, so it is not followed; name another file",
                                  link->string()));
  }
  std::error_code error;
  auto target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

void take_rights_of(const fs::path& replaced, int new_file) {
  struct stat earlier {};
  if (::stat(replaced.c_str(), &earlier) != 0) return;
  // The group first: who may not give the owner away may well keep the group.
  [[maybe_unused]] const int group = ::fchown(new_file, static_cast<uid_t>(-1), earlier.st_gid);
  [[maybe_unused]] const int owner = ::fchown(new_file, earlier.st_uid, static_cast<gid_t>(-1));
  ::fchmod(new_file, earlier.st_mode & 0777);
}

std::string whose(const fs::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return "";
  if (file.st_uid != ::geteuid() && file.st_uid != 0) return ", which another user owns";
  return (file.st_mode & S_IWOTH) != 0 ? ", which all may write" : "";
}

bool is_taken(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace truewatt::store
