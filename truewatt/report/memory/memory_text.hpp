#pragma once

#include <string>

#include "truewatt/memory/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// The table for a terminal: caches, baselines, levels; verbose: bytes, increments and the sweep.
std::string memory_text(const memory::Table& table, const TextOptions& options);

}  // namespace truewatt::report
