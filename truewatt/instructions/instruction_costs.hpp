#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/instructions/results.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::instructions {

/// What PTX and machine instructions cost by a table: joules of one thread above idle with a
/// context, on the sensor's scale, by the rows of these operands. Baseline errors are alike in all
/// of a table's rows, the others are each row's own; a table that does not say what its intervals
/// consist of errs alike in all of them. Immutable; any thread.
///
/// A machine instruction is the mean of the rows at O3 that are one of it and nothing else, less
/// their partners; each other one follows from a row in which it alone is not known yet, at O0
/// where no row at O3 tells it. Rows that differ give the scatter.
class InstructionCosts {
 public:
  explicit InstructionCosts(const Table& table,
                            kernels::Operands operands = kernels::Operands::random);

  /// Of a key of the table, a PTX instruction as kernels spell it, or a machine opcode at O3.
  std::optional<uncertainty::Budget> of(std::string_view name) const;

 private:
  std::map<std::string, uncertainty::Budget, std::less<>> ptx_;
  std::map<std::string, uncertainty::Budget, std::less<>> opcodes_;
};

}  // namespace truewatt::instructions
