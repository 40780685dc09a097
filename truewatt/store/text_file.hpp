#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"

namespace truewatt::store {

/// Larger files are refused: no description, profile or calibration comes near.
inline constexpr std::size_t kLargestTextFile = std::size_t{16} << 20;

/// The whole content of a regular file, or of a pipe that a shell handed over (/dev/stdin,
/// /dev/fd/N). Errors: unavailable (no such file), permission, parse (too large, a pipe, a folder),
/// io.
Result<std::string> read_text_file(const std::filesystem::path& path);

/// Puts `content` at `path` in one step: after a crash at any time the old file or the new one is
/// there, whole. Waits for the disk. The new file has the mode and, as far as possible, the owner
/// of the old one, or of `like`.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content);
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                   const std::filesystem::path& like);

/// Puts `content` where a user wants it: at a regular file's name, or behind a symbolic link
/// (place_of_output()), in one step; devices, pipes and /dev/stdout are written to and stay what
/// they are.
Result<void> write_output_file(const std::filesystem::path& path, std::string_view content);

/// Whether write_output_file could, before there is something to write: makes a file beside it and
/// removes that again. Errors: as that.
Result<void> check_output_file(const std::filesystem::path& path);

}  // namespace truewatt::store
