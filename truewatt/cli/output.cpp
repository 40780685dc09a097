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
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>

#include "truewatt/clock/system_clock.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/store/run_file_place.hpp"
#include "truewatt/store/text_file.hpp"

namespace truewatt::cli {
namespace {

std::FILE* file_of(Stream stream) { return stream == Stream::out ? stdout : stderr; }
int descriptor_of(Stream stream) { return stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO; }

/// `, 12 s left` where so much is known, from what the part that is done took.
std::string time_left(double share, Seconds elapsed) {
  constexpr double kTells = 0.02;
  constexpr Seconds kLong(2);
  if (!(share >= kTells && share < 1) || elapsed < kLong) return "";
  const double left = elapsed.count() * (1 - share) / share;
  return left < 100 ? fmt::format(", {:.0f} s left", left)
                    : fmt::format(", {:.0f} min left", left / 60);
}

/// One line of a terminal, which would not be cleared beyond it.
std::string shortened(const std::string& line, int width) {
  const auto most = static_cast<std::size_t>(width - 1);
  if (line.size() <= most) return line;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;  // of UTF-8
  return line.substr(0, end) + "...";
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
  const std::array<std::string_view, 4> paths = {outputs.json, outputs.report, outputs.csv,
                                                 outputs.run_file};
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
    if (store::begins_as_run_file(*path)) {
      return Unexpected(
          Errc::invalid_argument,
          fmt::format("{} is a recording and is not replaced; name another file", *path));
    }
  }
  std::error_code none;
  if (!outputs.quiet && std::filesystem::is_regular_file(outputs.run_file, none)) {
    print_err(safe(fmt::format("note: {0} exists and is kept as {0}.old\n", outputs.run_file)));
  }
  return {};
}

bool close_stdout() {
  const bool whole = std::ferror(stdout) == 0;
  errno = 0;
  const bool closed = std::fclose(stdout) == 0 || errno == EBADF;
  return whole && closed;
}

void print_to(Stream stream, std::string_view text) {
  std::FILE* file = file_of(stream);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

void print_out(std::string_view text) { print_to(Stream::out, text); }
void print_err(std::string_view text) { print_to(Stream::err, text); }

bool is_stdout(std::string_view path) { return path == "-" || path == "/dev/stdout"; }

std::string safe(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += report::printable(text.substr(at, end - at));
    if (end < text.size()) lines += '\n';
    at = end + 1;
  }
  return lines;
}

void complain(const Error& error) { print_err(fmt::format("truewatt: {}\n", safe(error.message))); }

Error error_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return {Errc::io, "the system has no memory left for truewatt (see ulimit -v)"};
  }
  if (dynamic_cast<const std::system_error*>(&error) != nullptr) {
    return {Errc::io,
            fmt::format("the system refuses what truewatt needs: {} (see ulimit -u, -v and -n)",
                        error.what())};
  }
  return {Errc::io, std::string("this is a defect of truewatt, please report it: ") + error.what()};
}

void leave(int code) {
  std::fflush(nullptr);
  _exit(code);
}

int terminal_width(Stream stream) {
  winsize size{};
  if (ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<int>(size.ws_col, 40, 120);
}

bool wants_colour(Stream stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(descriptor_of(stream)) == 1 && (!no_colour || *no_colour == '\0');
}

experiment::Progress terminal_progress(bool quiet) {
  if (!shows_progress(quiet)) return {};
  const SystemClock clock;
  return [begin = clock.now(), clock](std::optional<double> share, const std::string& what) {
    std::string line = "[ ... ] " + safe(what);
    if (share) {
      const Seconds elapsed(clock.now() - begin);
      line = fmt::format("[{:3.0f} %] {}{}", 100 * *share, safe(what), time_left(*share, elapsed));
    }
    print_err("\r\033[K" + shortened(line, terminal_width(Stream::err)));
  };
}

void end_progress(bool quiet) {
  if (shows_progress(quiet)) print_err("\r\033[K");
}

}  // namespace truewatt::cli
