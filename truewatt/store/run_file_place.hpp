#pragma once

#include <sys/types.h>

#include <filesystem>

#include "truewatt/base/result.hpp"

namespace truewatt::store {

/// By the first 100 bytes: SQLite itself might change what is beside a database of others.
bool begins_as_run_file(const std::filesystem::path& path);

/// Where a new run file stands. What was there is put aside, as FILE.before-PID-N, until keep()
/// makes it FILE.old, or the end without it puts it back: a new file replaces another only where
/// there is something to replace it with. Files and the -wal and -shm of a run file stay together.
class RunFilePlace {
 public:
  /// Puts an empty run file at `path`, with the mode and as far as possible the owner of the
  /// earlier file. Refuses what is no regular file (invalid_argument), a run file that is being
  /// written (io), a -wal, -shm or -journal beside it that belongs to no run file
  /// (invalid_argument), and what place_of_output() refuses.
  static Result<RunFilePlace> take(const std::filesystem::path& path);
  RunFilePlace(RunFilePlace&& other) noexcept;
  RunFilePlace& operator=(RunFilePlace&&) = delete;
  ~RunFilePlace();

  const std::filesystem::path& path() const { return path_; }
  /// The new file stays, and the earlier one becomes FILE.old in place of an older one. Once, from
  /// any thread.
  void keep();
  /// An error where something else, or nothing, stands there now.
  Result<void> check_still_there() const;

 private:
  RunFilePlace() = default;
  void give_back();

  std::filesystem::path path_;
  std::filesystem::path aside_;  ///< the earlier file; empty: there was none
  bool kept_ = true;             ///< or given back, or moved away: nothing is left to do
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace truewatt::store
