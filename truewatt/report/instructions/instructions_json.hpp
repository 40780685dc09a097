#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/instructions/comparison.hpp"
#include "truewatt/instructions/prediction.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/report/instructions/published_comparison.hpp"

namespace truewatt::report {

/// What stands beside a table.
struct InstructionsBeside {
  std::optional<instructions::Prediction> prediction;
  /// Rows of another table, of the GPU `other`.
  std::optional<std::vector<instructions::ComparedRow>> compared;
  std::string other;
  std::optional<PublishedComparison> published;
};

/// The stable document truewatt.instructions/1 (docs/reference.md). Pure.
std::string instructions_json(const instructions::Table& table,
                              const InstructionsBeside& beside = {});

/// One line a row, with a header line; energies in joules. `separator` as of -x. Pure.
std::string instructions_csv(const instructions::Table& table, const std::string& separator);

/// One line a row that both tables have.
std::string comparison_csv(const std::vector<instructions::ComparedRow>& compared,
                           const std::string& separator);

/// One line an instruction, those without an energy too, and one of their sum.
std::string prediction_csv(const instructions::Prediction& prediction,
                           const std::string& separator);

}  // namespace truewatt::report
