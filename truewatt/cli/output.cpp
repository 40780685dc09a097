#include "truewatt/cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "truewatt/store/text_file.hpp"

namespace truewatt::cli {
namespace {

void print_to(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

bool shows_progress(bool quiet) { return !quiet && isatty(STDERR_FILENO) == 1; }

}  // namespace

Result<void> write_text(const std::string& path, std::string_view text) {
  if (path != "-") return store::write_output_file(path, text);
  errno = 0;
  print_out(text);
  if (std::ferror(stdout) == 0) return {};
  return Unexpected(Errc::io, fmt::format("cannot write to stdout: {}", std::strerror(errno)));
}

bool write_asked_for(const std::string& path, const std::function<std::string()>& render) {
  if (path.empty()) return true;
  const auto written = write_text(path, render());
  if (!written) complain(written.error());
  return written.has_value();
}

Result<void> check_outputs(std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths) {
    if (path.empty() || path == "-") continue;
    if (auto done = store::check_output_file(path); !done) return done;
  }
  return {};
}

bool close_stdout() {
  const bool whole = std::ferror(stdout) == 0;
  errno = 0;
  const bool closed = std::fclose(stdout) == 0 || errno == EBADF;
  return whole && closed;
}

void print_out(std::string_view text) { print_to(stdout, text); }
void print_err(std::string_view text) { print_to(stderr, text); }

void complain(const Error& error) { print_err(fmt::format("truewatt: {}\n", error.message)); }

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<int>(size.ws_col, 40, 120);
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) == 1 && (!no_colour || *no_colour == '\0');
}

study::Progress terminal_progress(bool quiet) {
  if (!shows_progress(quiet)) return {};
  return [](std::optional<double> share, const std::string& what) {
    const std::string line =
        share ? fmt::format("[{:3.0f} %] {}", 100 * *share, what) : fmt::format("[ ... ] {}", what);
    print_err("\r\033[K" + line);
  };
}

void end_progress(bool quiet) {
  if (shows_progress(quiet)) print_err("\r\033[K");
}

}  // namespace truewatt::cli
