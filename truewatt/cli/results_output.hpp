#pragma once

#include <optional>
#include <string>

#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/output.hpp"
#include "truewatt/measure/measurement.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::cli {

/// Prints an error and gives its exit code.
int fail(const Error& error, Stage stage = Stage::device);

/// Why nothing can be measured at all: no source answers, and one of them says that we may not ask.
std::optional<Error> refusal_of(const devices::DeviceSet& set);

/// Why a profile is not to be trusted as it is, in words: something else ran, or it was cut short.
std::optional<std::string> why_doubtful(const Profile& profile);

/// The exit code of what made this profile, all of it written: 4 where it was cut short, or is not
/// to be trusted and no file was named for it.
int exit_code_of(const Profile& profile, const CommonOptions& common);

/// The options that say how to measure.
measure::MeasureOptions measure_options(const CommonOptions& common);

/// Where the summary of every verb but `run` goes: stdout, or stderr where the JSON, the page or
/// the CSV is on stdout.
Stream summary_stream(const CommonOptions& common);

/// How a text looks on a stream.
report::TextOptions text_options(const CommonOptions& common, Stream stream);

/// Writes what was asked for: JSON, report, CSV and summary. `run` has its summary or its CSV on
/// stderr, as stdout is its command's; `measure` has them on stdout. The exit code: 4 unless every
/// device has a number; 1 when a file could not be written.
int deliver(const measure::Measurement& measurement, const CommonOptions& common,
            const std::string& title, Stream results);

}  // namespace truewatt::cli
