#pragma once

#include <string>
#include <vector>

#include "truewatt/instructions/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// The table by groups: picojoules of a thread-level instruction at O3 and O0, what it stands on,
/// and what runs for it. Verbose: also energy above spinning and in all, rate, power and clock.
/// UTF-8, ends with a newline. Pure.
std::string instructions_text(const instructions::Table& table, const TextOptions& options = {});

/// The rows that can be measured, by groups, with what a device needs for them; those of `only`
/// where it names some. Pure.
std::string instruction_list_text(const std::vector<std::string>& only);

}  // namespace truewatt::report
