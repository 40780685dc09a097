#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/measure/measurement.hpp"

namespace truewatt::cli {

/// Writes a whole file in one step, or to stdout for "-". Errors name the file and the reason.
Result<void> write_text(const std::string& path, std::string_view text);

/// Renders and writes what was asked for, nothing for an empty path. Complains and returns false
/// when it cannot be written.
bool write_asked_for(const std::string& path, const std::function<std::string()>& render);

/// Files that a verb writes; empty: not asked for.
struct Outputs {
  std::string_view json;
  std::string_view report;
  std::string_view csv = {};
  std::string_view run_file;
  bool quiet = false;  ///< of a run file that is replaced and kept as FILE.old
};

/// Says so where a run file is replaced. Whether they can be written and are different ones: asked
/// before work that takes long. Errors name the one that cannot.
Result<void> check_outputs(const Outputs& outputs);

/// Last of all: false when something that was printed to stdout has not arrived.
bool close_stdout();

/// Prints to stdout / stderr, all of it.
void print_out(std::string_view text);
void print_err(std::string_view text);

/// Lines with words from files and drivers, safe for a terminal: control characters become `?`.
std::string safe(std::string_view text);

/// `truewatt: error: ...` on stderr.
void complain(const Error& error);

/// What was thrown, in words: the system has no thread or memory for us, or a defect of truewatt.
Error error_of(const std::exception& error);

/// Ends the process at once, after what was printed: a thread that was left behind in a driver's
/// call may hold what exit() would wait for.
[[noreturn]] void leave(int code);

/// Where a verb's text goes: stdout, unless something else was asked for there.
enum class Stream { out, err };
void print_to(Stream stream, std::string_view text);

/// "-" and its other name.
bool is_stdout(std::string_view path);

/// Columns of the terminal behind a stream, 80 when there is none.
int terminal_width(Stream stream);
/// Colours on a stream: a terminal, and NO_COLOR is not set.
bool wants_colour(Stream stream);

/// A progress line on stderr when that is a terminal and nobody asked for quiet; nothing otherwise.
experiment::Progress terminal_progress(bool quiet);
/// Removes the progress line.
void end_progress(bool quiet);

}  // namespace truewatt::cli
