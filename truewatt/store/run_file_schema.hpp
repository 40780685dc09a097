#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "truewatt/base/result.hpp"
#include "truewatt/store/sqlite.hpp"

namespace truewatt::store {

/// SQLite's `application_id` of a run file ("trWt") and the version of its tables, `user_version`.
inline constexpr std::int64_t kRunFileId = 0x74725774;
inline constexpr std::int64_t kRunFileVersion = 1;

/// An empty run file, byte for byte.
Result<std::string> empty_run_file();

/// Success when the open database is a run file of a version that this code reads. Else parse (not
/// a run file, or not a database at all, or with anything but plain tables) or unsupported (a newer
/// one), naming `path`.
Result<void> check_run_file(Database& database, const std::filesystem::path& path);

}  // namespace truewatt::store
