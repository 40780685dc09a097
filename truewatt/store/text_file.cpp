#include "truewatt/store/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "truewatt/store/output_place.hpp"

namespace truewatt::store {
namespace {

Errc errc_of_system(int system_error) {
  switch (system_error) {
    case ENOENT:
    case ENOTDIR:
      return Errc::unavailable;
    case EACCES:
    case EPERM:
    case EROFS:
      return Errc::permission;
    default:
      return Errc::io;
  }
}

/// What errno says of `path`, and what to do.
std::string why_not(int system_error, const std::filesystem::path& path) {
  switch (system_error) {
    case ENOENT:
    case ENOTDIR: {
      const std::filesystem::path folder = path.parent_path();
      std::error_code none;
      if (folder.empty() || std::filesystem::is_directory(folder, none)) break;
      return fmt::format("there is no folder {}; make it, or name a file in another",
                         folder.string());
    }
    case EISDIR:
      return "it is a folder; name a file in it";
    case EACCES:
    case EPERM:
      return "the system does not permit it; name another file";
    case EROFS:
      return "it is on a file system that is read only; name a file on another";
    case ENOSPC:
    case EDQUOT:
      return "the disk is full; free some space or write to another";
    default:
      break;
  }
  return std::strerror(system_error);
}

/// What errno says about `doing` something with `path`.
Unexpected system_failure(std::string_view doing, const std::filesystem::path& path) {
  const int system_error = errno;
  return {errc_of_system(system_error),
          fmt::format("cannot {} {}: {}", doing, path.string(), why_not(system_error, path))};
}

/// An open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Names of our own open files: what they lead to may be a file that a shell has opened for us.
bool is_open_already(const std::filesystem::path& path) {
  const std::string name = path.string();
  return name == "/dev/stdin" || name == "/dev/stdout" || name == "/dev/stderr" ||
         name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

/// A device, a pipe or a folder, which a rename would put a file in place of.
bool is_special(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

struct NewFile {
  Descriptor descriptor;
  std::filesystem::path path;
};

/// A file beside `path` that nobody else has, also when two containers share a process id.
Result<NewFile> create_beside(const std::filesystem::path& path) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    std::filesystem::path beside(fmt::format("{}.new-{}-{}", path.string(), ::getpid(), i));
    Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.is_open()) return NewFile{std::move(file), std::move(beside)};
    if (errno != EEXIST) return system_failure("create", path);
  }
  return system_failure("create", path);
}

/// Makes a rename in the folder of `path` last; folders that cannot be synced are left as they are.
void sync_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.number());
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path) {
  const bool handed_over = is_open_already(path);
  // Opening a pipe that nobody writes would wait for ever.
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (handed_over ? 0 : O_NONBLOCK)));
  if (!file.is_open()) return system_failure("open", path);
  if (!handed_over && is_special(path)) {
    std::error_code error;
    return Unexpected(Errc::parse, path.string() + (std::filesystem::is_directory(path, error)
                                                        ? " is a folder; name a file in it"
                                                        : " is not a regular file"));
  }
  std::string content;
  std::array<char, 65536> block{};
  while (content.size() <= kLargestTextFile) {
    const ssize_t size = ::read(file.number(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_failure("read", path);
    if (size == 0) return content;
    content.append(block.data(), static_cast<std::size_t>(size));
  }
  return Unexpected(Errc::parse, fmt::format("{} is larger than {} bytes; is it the right file?",
                                             path.string(), kLargestTextFile));
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  return write_file_atomically(path, content, path);
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                   const std::filesystem::path& like) {
  const auto created = create_beside(path);
  if (!created) return Unexpected(created.error());
  if (!like.empty()) take_rights_of(like, created->descriptor.number());
  const bool written = write_all(created->descriptor.number(), content) &&
                       ::fsync(created->descriptor.number()) == 0;
  if (!written || std::rename(created->path.c_str(), path.c_str()) != 0) {
    Unexpected failure = system_failure("write", path);
    ::unlink(created->path.c_str());
    return failure;
  }
  sync_folder(path);
  return {};
}

/// Without replacing what stands there.
static Result<void> write_into(const std::filesystem::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return system_failure("open", path);
  const bool written = write_all(file, content);
  if (!written) {
    Unexpected failure = system_failure("write", path);
    ::close(file);
    return failure;
  }
  if (::close(file) != 0) return system_failure("write", path);
  return {};
}

Result<void> write_output_file(const std::filesystem::path& path, std::string_view content) {
  if (is_open_already(path) || is_special(path)) return write_into(path, content);
  const auto target = place_of_output(path);
  if (!target) return Unexpected(target.error());
  return write_file_atomically(*target, content);
}

Result<void> check_output_file(const std::filesystem::path& path) {
  if (is_open_already(path)) return {};
  if (is_special(path)) {
    if (::access(path.c_str(), W_OK) == 0 && !std::filesystem::is_directory(path)) return {};
    if (std::filesystem::is_directory(path)) errno = EISDIR;
    return system_failure("write", path);
  }
  const auto target = place_of_output(path);
  if (!target) return Unexpected(target.error());
  const auto created = create_beside(*target);
  if (!created) return Unexpected(created.error());
  ::unlink(created->path.c_str());
  return {};
}

}  // namespace truewatt::store
