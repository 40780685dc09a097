#pragma once

#include <string>

#include "truewatt/memory/results.hpp"

namespace truewatt::report {

/// The stable document `truewatt.memory/1` (docs/schemas/memory.schema.json).
std::string memory_json(const memory::Table& table);
/// A row a level, with a header line; of a table of caches alone, their sizes.
std::string memory_csv(const memory::Table& table, const std::string& separator);

}  // namespace truewatt::report
