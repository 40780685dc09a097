#include "truewatt/instructions/prediction.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::instructions {
namespace {

constexpr double kOne = 0.03;  // a copy is one machine instruction to this

bool is_one_of(const Row& row, std::string_view opcode) {
  return row.valid && row.partner.empty() && row.key.optimization == kernels::Optimization::O3 &&
         row.key.operands == kernels::Operands::random && row.machine.size() == 1 &&
         row.machine.front().opcode == opcode && std::abs(row.machine.front().count - 1) <= kOne;
}

std::optional<Interval> energy_of(const Table& table, const std::string& name) {
  const Row* row = find_row(table, {name, kernels::Optimization::O3, kernels::Operands::random});
  if (row != nullptr && row->valid) return row->dynamic_j;
  return opcode_energy(table, name);
}

}  // namespace

std::optional<Interval> opcode_energy(const Table& table, std::string_view opcode) {
  double sum = 0.0;
  int rows = 0;
  double lower = 0.0;
  double upper = 0.0;
  for (const Row& row : table.rows) {
    if (!is_one_of(row, opcode)) continue;
    lower = rows == 0 ? row.dynamic_j->lower : std::min(lower, row.dynamic_j->lower);
    upper = rows == 0 ? row.dynamic_j->upper : std::max(upper, row.dynamic_j->upper);
    sum += row.dynamic_j->value;
    ++rows;
  }
  if (rows == 0) return std::nullopt;
  return Interval{sum / rows, lower, upper};
}

Prediction predict(const Table& table, std::span<const std::pair<std::string, double>> counts) {
  Prediction prediction;
  double all = 0.0;
  double known = 0.0;
  for (const auto& [name, count] : counts) {
    all += count;
    const auto energy = energy_of(table, name);
    if (!energy) {
      prediction.missing.emplace_back(name, count);
      continue;
    }
    known += count;
    const Interval part{count * energy->value, count * energy->lower, count * energy->upper};
    prediction.energy_j.value += part.value;
    prediction.energy_j.lower += part.lower;
    prediction.energy_j.upper += part.upper;
    prediction.parts.push_back({name, count, part});
  }
  std::sort(prediction.parts.begin(), prediction.parts.end(),
            [](const auto& a, const auto& b) { return a.energy_j.value > b.energy_j.value; });
  prediction.covered = all > 0 ? known / all : 0.0;
  return prediction;
}

}  // namespace truewatt::instructions
