#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "truewatt/base/result.hpp"

namespace truewatt::trace {

/// The one place of this layer that touches the disk.

/// Files beyond this are refused: 1 GiB of nvidia-smi log is four months at ten readings a second.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

/// The whole content of a regular file. `unavailable` when there is none, `permission` when it may
/// not be read, `invalid_argument` for a folder or a file beyond `kMaxFileBytes`, else `io`.
Result<std::string> read_file(const std::filesystem::path& path);

/// At most the first `bytes` of a regular file, enough to recognise what it is.
Result<std::string> read_file_start(const std::filesystem::path& path, std::size_t bytes);

/// What a parser could not read, with the file that it stands in.
Unexpected in_file(const std::filesystem::path& path, const Error& error);

}  // namespace truewatt::trace
