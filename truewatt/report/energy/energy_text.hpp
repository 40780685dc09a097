#pragma once

#include <string>
#include <string_view>

#include "truewatt/measure/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// The summary for people in the manner of `perf stat`: per device gross joules first with their
/// 95 % interval, net energy and its baseline, mean power, naive readings held against the
/// estimate (and the truth of a simulated device), then whether the number is valid and resolved,
/// with a sentence for every reason; the total of several devices; notes last. UTF-8, ends with a
/// newline. Control characters in names and commands are shown as `?`. Pure.
std::string energy_text(const measure::EnergyRun& run, const TextOptions& options = {});

/// The same numbers for programs (`-x,`): a header line that begins with '#', one line per device,
/// and a line "total"; where the node was asked for, lines "host" of its meters, a line "node", and
/// a column of what was added after it. Fields that hold the separator, a quote or a line break are
/// quoted as in RFC 4180; unknown numbers are empty. Naive readings come last, one column per
/// source of the run, and the readers asked for. Doubles read back to the same bits.
std::string energy_csv(const measure::EnergyRun& run, std::string_view separator = ",");

}  // namespace truewatt::report
