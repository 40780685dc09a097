#pragma once

#include <string>
#include <vector>

#include "truewatt/instructions/results.hpp"

namespace truewatt::report {

/// A table beside those of the rows, as text and page show it.
struct FurtherTable {
  std::string title;
  std::vector<std::string> head;  ///< of the columns; the first names the rows
  std::vector<std::vector<std::string>> rows;
  std::string note;  ///< what it says, in a sentence or two; may be empty
};

/// What was measured beside the rows: errors of readers, loops of two instructions, kernels of
/// known counts, the one-thread protocol. Only what is there. Pure.
std::vector<FurtherTable> further_tables(const instructions::Table& table);

}  // namespace truewatt::report
