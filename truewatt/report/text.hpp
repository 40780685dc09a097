#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "truewatt/model/profile.hpp"
#include "truewatt/study/results.hpp"

namespace truewatt::report {

struct TextOptions {
  bool colour = false;   ///< ANSI colours, for a terminal
  bool verbose = false;  ///< uncertainty budget, device details, every window of an analysis
  int width = 80;        ///< columns to wrap sentences at, 40 or more
};

/// The summary for people in the manner of `perf stat`: per device gross joules first with their
/// 95 % interval, net energy and its baseline, mean power, naive readings held against the
/// estimate (and the truth of a simulated device), then whether the number is valid and resolved,
/// with a sentence for every reason; the total of several devices; notes last. UTF-8, ends with a
/// newline. Control characters in names and commands are shown as `?`. Pure.
std::string energy_text(const study::EnergyRun& run, const TextOptions& options = {});

/// The same numbers for programs (`-x,`): a header line that begins with '#', one line per device,
/// and a line "total"; where the node was asked for, lines "host" of its meters, a line "node", and
/// a column of what was added after it. Fields that hold the separator, a quote or a line break are
/// quoted as in RFC 4180; unknown numbers are empty. Naive readings come last, one column per
/// source of the run, and the readers asked for. Doubles read back to the same bits.
std::string energy_csv(const study::EnergyRun& run, std::string_view separator = ",");

/// What recorded data say: per source its fitted model and a table of windows with naive,
/// estimated and metered joules and the plateaus of sensor and meter; reasons as sentences. Shows
/// the first 40 windows of a source unless verbose. UTF-8, ends with a newline. Pure.
std::string analysis_text(const study::Analysis& analysis, const TextOptions& options = {});

/// The observation model of every source, with 95 % intervals, and a sentence for what could not be
/// found out. UTF-8, begins and ends with an empty line. Pure.
std::string profile_text(const Profile& profile, const std::vector<std::string>& notes,
                         const TextOptions& options = {});

/// The table of paper 000's protocol with its own numbers. Form as above. Pure.
std::string protocol_text(const Profile& profile, const std::vector<std::string>& notes,
                          const TextOptions& options = {});

/// The tables of paper 001's protocol, with what is published beside. Form as above. Pure.
std::string burtscher_text(const Profile& profile, const std::vector<std::string>& notes,
                           const TextOptions& options = {});

/// What two things take against each other: what was run, the ratio as a sentence with its 95 %
/// interval, the same above idle, its budget where verbose, and what would narrow it. UTF-8, ends
/// with a newline. Pure.
std::string comparison_text(const study::EnergyComparison& comparison,
                            const TextOptions& options = {});

/// Per source and load a table of errors and spreads by the number of executions, as read, with
/// the paper's corrections and by truewatt, and what these numbers come to. UTF-8, ends with a
/// newline. Pure.
std::string convergence_text(const study::Convergence& convergence,
                             const TextOptions& options = {});

/// A row per workload: its reference, and by how much the reading held, one run, the paper's good
/// practice and truewatt's mean of it are off; then every reader's errors over all of them. UTF-8,
/// ends with a newline. Pure.
std::string validation_text(const study::Validation& validation, const TextOptions& options = {});

/// A calibration per source: its levels, gain and offset with their 95 % intervals, R squared, the
/// standard uncertainties and what limits them. Shows the first 20 levels of a source unless
/// verbose. UTF-8, ends with a newline. Pure.
std::string calibration_text(const study::CalibrationRun& run, const TextOptions& options = {});

}  // namespace truewatt::report
