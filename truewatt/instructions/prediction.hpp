#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// One instruction's part of a prediction.
struct PredictedPart {
  std::string name;
  double count = 0.0;
  Interval energy_j;
};

/// Energy of a kernel above idle with a context, from how often its threads execute what.
struct Prediction {
  Interval energy_j;
  std::vector<PredictedPart> parts;  ///< largest first
  std::vector<std::pair<std::string, double>>
      missing;           ///< what the table does not hold, and counts
  double covered = 0.0;  ///< share of the executed instructions that the table holds
};

/// What a machine instruction costs: the mean of the table's rows at O3 with random operands that
/// are one of it and nothing else; as wide as they differ. Nothing where there is no such row.
std::optional<Interval> opcode_energy(const Table& table, std::string_view opcode);

/// Sums the table over counts of PTX instructions or machine opcodes, thread-level. Errors of rows
/// are taken as alike, because baseline and sensor are: half-widths add up. Pure.
Prediction predict(const Table& table, std::span<const std::pair<std::string, double>> counts);

}  // namespace truewatt::instructions
