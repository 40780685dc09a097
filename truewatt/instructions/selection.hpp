#pragma once

#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// Which rows are wanted.
struct Selection {
  /// Keys, groups ("matrix", "arafa" for the rows of Table I, "modern" for the others, "all") and
  /// keys with `*` for any characters. Empty: the standard rows, one of each kind.
  std::vector<std::string> only;
  std::vector<kernels::Optimization> optimizations{kernels::Optimization::O3,
                                                   kernels::Optimization::O0};
  std::vector<kernels::Operands> operands{kernels::Operands::random};
  bool verified =
      false;  ///< also those that kernels of known counts are made of (verification.hpp)
  bool table_one = false;  ///< of the standard rows, those of Table I of Arafa et al. (2020) alone
};

/// The rows that a selection names, and those that they run together with. The error names what
/// nothing matches, and what comes nearest.
Result<std::vector<RowKey>> select_rows(const Selection& selection);

/// Leaves of a table that was measured before the rows of a selection; of all kinds of operands
/// where `any_operands`; with the notes of notes_of_partners(). Errors: those of select_rows().
Result<void> keep_selected(Table& table, const Selection& selection, bool any_operands);

/// A sentence for each row of `select_rows` that `Selection::only` does not name: which that it
/// names run together with it.
std::vector<std::string> notes_of_partners(const Selection& selection);

}  // namespace truewatt::instructions
