#pragma once

#include <filesystem>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/memory/results.hpp"

namespace truewatt::memory {

/// A document `truewatt.memory/1` read back: caches, baselines, levels and the sweep; without
/// curves, residuals and lines. `origin` names it in errors. Errors: parse.
Result<Table> parse_table(std::string_view text, std::string_view origin);
Result<Table> read_table(const std::filesystem::path& path);

}  // namespace truewatt::memory
