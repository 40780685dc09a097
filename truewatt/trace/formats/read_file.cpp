#include "truewatt/trace/formats/read_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

namespace truewatt::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPart = std::size_t{1} << 18;

Unexpected cannot_open(const fs::path& path, const std::error_code& why) {
  const Errc code = why == std::errc::permission_denied           ? Errc::permission
                    : why == std::errc::no_such_file_or_directory ? Errc::unavailable
                                                                  : Errc::io;
  return Unexpected(code, fmt::format("cannot read {}: {}", path.string(), why.message()));
}

Result<std::size_t> size_of(const fs::path& path) {
  std::error_code why;
  const fs::file_status status = fs::status(path, why);
  if (why) return cannot_open(path, why);
  if (fs::is_directory(status)) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} is a folder; name a file in it", path.string()));
  }
  if (!fs::is_regular_file(status)) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} is not a regular file; save it to one", path.string()));
  }
  const std::uintmax_t size = fs::file_size(path, why);
  if (why) return cannot_open(path, why);
  return static_cast<std::size_t>(size);
}

Result<std::string> read_bytes(const fs::path& path, std::size_t bytes) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cannot_open(path, std::error_code(errno, std::generic_category()));
  // Zeros that `bytes` would begin as take as long to write as the file does.
  std::string content;
  content.reserve(bytes);
  std::vector<char> part(std::min(bytes, kPart));
  while (content.size() < bytes && file) {
    const std::size_t next = std::min(part.size(), bytes - content.size());
    file.read(part.data(), static_cast<std::streamsize>(next));
    content.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) {
    return Unexpected(Errc::io, fmt::format("reading {} failed half-way", path.string()));
  }
  return content;
}

}  // namespace

Result<std::string> read_file(const fs::path& path) {
  const auto size = size_of(path);
  if (!size) return Unexpected(size.error());
  if (*size > kMaxFileBytes) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} has {} bytes, more than the {} that are read; cut it into "
                                  "parts",
                                  path.string(), *size, kMaxFileBytes));
  }
  return read_bytes(path, *size);
}

Result<std::string> read_file_start(const fs::path& path, std::size_t bytes) {
  const auto size = size_of(path);
  if (!size) return Unexpected(size.error());
  return read_bytes(path, std::min(*size, bytes));
}

Unexpected in_file(const fs::path& path, const Error& error) {
  return Unexpected(error.code, fmt::format("{}: {}", path.string(), error.message));
}

}  // namespace truewatt::trace
