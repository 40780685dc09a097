#include "truewatt/store/run_file_place.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "truewatt/store/output_place.hpp"
#include "truewatt/store/run_file_schema.hpp"
#include "truewatt/store/sqlite.hpp"
#include "truewatt/store/text_file.hpp"

namespace truewatt::store {
namespace {

namespace fs = std::filesystem;

/// What SQLite keeps beside a database.
constexpr std::array kCompanions = {"-wal", "-shm", "-journal"};

fs::path with(const fs::path& path, const char* suffix) { return path.string() + suffix; }

Result<void> moved(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return {};
  const Errc code = error == std::errc::permission_denied ? Errc::permission : Errc::io;
  return Unexpected(
      code, fmt::format("cannot rename {} to {}: {}", from.string(), to.string(), error.message()));
}

/// A database and what is beside it; the companions first, so that one that is there is whole.
Result<void> move_database(const fs::path& from, const fs::path& to) {
  for (const char* suffix : kCompanions) {
    if (!is_taken(with(from, suffix))) continue;
    if (auto done = moved(with(from, suffix), with(to, suffix)); !done) return done;
  }
  return moved(from, to);
}

void remove_database(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
  for (const char* suffix : kCompanions) fs::remove(with(path, suffix), ignored);
}

}  // namespace

bool begins_as_run_file(const fs::path& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kIdAt = 68;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;  // a pipe would wait for a writer
  std::array<char, 100> header{};
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(header.data(), header.size())) return false;
  std::int64_t id = 0;
  for (std::size_t i = 0; i < 4; ++i) id = id * 256 + static_cast<unsigned char>(header[kIdAt + i]);
  return std::string_view(header.data(), kMagic.size()) == kMagic && id == kRunFileId;
}

namespace {

/// A damaged run file, or one of a newer truewatt, may be replaced like any other.
Result<void> check_not_being_written(const fs::path& path) {
  auto database = Database::open(path, Database::Mode::read_write);
  if (!database) return Unexpected(database.error());
  const auto locked = database->execute("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK");
  if (!locked && locked.error().code != Errc::parse) return locked;
  return {};
}

/// SQLite would take them for the new file's.
Result<void> check_no_foreign_companions(const fs::path& path, bool of_run_file) {
  if (of_run_file) return {};
  for (const char* suffix : kCompanions) {
    if (!is_taken(with(path, suffix))) continue;
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{0}{1} exists and belongs to no run file; a database named {0} "
                                  "would change it. Name another file",
                                  path.string(), suffix));
  }
  return {};
}

Result<void> check_replaceable(const fs::path& path) {
  if (!is_taken(path)) return check_no_foreign_companions(path, false);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} is a folder; name a file in it", path.string()));
  }
  if (!fs::is_regular_file(path, error)) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} is not a file, so it is not a truewatt run file and not "
                                  "replaced; name another file",
                                  path.string()));
  }
  const bool run_file = begins_as_run_file(path);
  if (auto none = check_no_foreign_companions(path, run_file); !none || !run_file) return none;
  return check_not_being_written(path);
}

fs::path free_name_beside(const fs::path& path) {
  for (int i = 0;; ++i) {
    fs::path name(fmt::format("{}.before-{}-{}", path.string(), ::getpid(), i));
    if (!is_taken(name)) return name;
  }
}

}  // namespace

Result<RunFilePlace> RunFilePlace::take(const fs::path& path) {
  auto target = place_of_output(path);
  if (!target) return Unexpected(target.error());
  if (const auto free = check_replaceable(*target); !free) return Unexpected(free.error());
  const auto content = empty_run_file();
  if (!content) return Unexpected(content.error());
  RunFilePlace place;
  place.path_ = std::move(*target);
  if (is_taken(place.path_)) {
    const fs::path aside = free_name_beside(place.path_);
    if (const auto done = move_database(place.path_, aside); !done) return Unexpected(done.error());
    place.aside_ = aside;
  }
  place.kept_ = false;
  const auto written = write_file_atomically(place.path_, *content, place.aside_);
  if (!written) return Unexpected(written.error());
  struct stat made {};
  if (::stat(place.path_.c_str(), &made) == 0) {
    place.device_ = made.st_dev;
    place.inode_ = made.st_ino;
  }
  return place;
}

RunFilePlace::RunFilePlace(RunFilePlace&& other) noexcept
    : path_(std::move(other.path_)),
      aside_(std::move(other.aside_)),
      kept_(std::exchange(other.kept_, true)),
      device_(other.device_),
      inode_(other.inode_) {}

RunFilePlace::~RunFilePlace() {
  if (!kept_) give_back();
}

void RunFilePlace::keep() {
  if (std::exchange(kept_, true) || aside_.empty()) return;
  const fs::path old = with(path_, ".old");
  if (is_taken(old)) remove_database(old);
  // Where that fails it stays under the name that it has.
  (void)move_database(aside_, old);
}

void RunFilePlace::give_back() {
  if (check_still_there()) remove_database(path_);
  if (!aside_.empty() && !is_taken(path_)) (void)move_database(aside_, path_);
}

Result<void> RunFilePlace::check_still_there() const {
  struct stat now {};
  if (::stat(path_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_) return {};
  return Unexpected(Errc::io,
                    fmt::format("{} was removed, moved or replaced while it was being written; "
                                "readings are where it went, or lost",
                                path_.string()));
}

}  // namespace truewatt::store
