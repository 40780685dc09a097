#include "truewatt/cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

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

Result<void> check_outputs(const Outputs& outputs) {
  if (outputs.run_file == "-") {
    return Unexpected(Errc::invalid_argument,
                      "a run file is a database and cannot go to stdout; name --out RUN.db");
  }
  const std::array<std::string_view, 3> paths = {outputs.json, outputs.report, outputs.run_file};
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    if (path->empty()) continue;
    if (!path->starts_with("/dev/") && std::find(paths.begin(), path, *path) != path) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("{} is named for two outputs; name two files",
                                    *path == "-" ? std::string_view("stdout (-)") : *path));
    }
    // The run file is begun, and with it checked, before anything is measured.
    if (*path == "-" || path == std::prev(paths.end())) continue;
    if (auto done = store::check_output_file(*path); !done) return done;
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

experiment::Progress terminal_progress(bool quiet) {
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
