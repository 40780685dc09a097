#include "truewatt/instructions/instruction_costs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::instructions {
namespace {

using kernels::Optimization;
using uncertainty::Budget;
using uncertainty::Cause;

/// Fewer of an opcode than this in a copy come from the loop around it.
constexpr double kSlight = 0.05;
/// Machine instructions that follow from others, which follow from others.
constexpr int kPasses = 4;

/// A row's energy with the origins of its errors: `number` is the row's own.
Budget cost_of(const Row& row, int number) {
  Budget cost(row.dynamic_j->value);
  if (row.dynamic_budget.empty()) {
    cost.add(Cause::pause_idle, half_width_of(*row.dynamic_j) / kCoverageFactor95);
    return cost;
  }
  for (const uncertainty::Term& term : row.dynamic_budget) {
    if (!uncertainty::is_scale(term.cause)) {
      cost.add(term.cause, term.u, {.program = "instructions", .run = number});
    }
  }
  return cost;
}

/// A row's energy, and the machine instructions that it is the energy of.
struct Evidence {
  Budget cost;
  std::map<std::string, double> machine;
  Optimization optimization = Optimization::O3;
};

/// Without those of the partner, whose energy is not in the row's; nothing where they are not
/// known, or where more than a slight part of an opcode is gone.
std::optional<Evidence> evidence_of(const Table& table, const Row& row, const Budget& cost) {
  Evidence evidence{.cost = cost, .machine = {}, .optimization = row.key.optimization};
  for (const auto& one : row.machine) evidence.machine[one.opcode] += one.count;
  if (!row.partner.empty()) {
    RowKey key = row.key;
    key.instruction = row.partner;
    const Row* partner = find_row(table, key);
    if (partner == nullptr || !partner->partner.empty()) return std::nullopt;
    for (const auto& one : partner->machine) evidence.machine[one.opcode] -= one.count;
  }
  std::erase_if(evidence.machine, [](const auto& one) { return std::abs(one.second) <= kSlight; });
  const bool lacks = std::any_of(evidence.machine.begin(), evidence.machine.end(),
                                 [](const auto& one) { return one.second < 0; });
  if (lacks || evidence.machine.empty()) return std::nullopt;
  return evidence;
}

using Costs = std::map<std::string, Budget, std::less<>>;

/// The one opcode of it that is not known, and what it then costs; nothing where it has none or
/// several, or where what is left for it is not known to its own size.
std::optional<std::pair<std::string, Budget>> conclusion_of(const Evidence& evidence,
                                                            const Costs& known) {
  std::string unknown;
  std::vector<Budget> parts{evidence.cost};
  std::vector<double> weights{1.0};
  for (const auto& [opcode, count] : evidence.machine) {
    const auto found = known.find(opcode);
    if (found == known.end() && !unknown.empty()) return std::nullopt;
    if (found == known.end()) {
      unknown = opcode;
      continue;
    }
    parts.push_back(found->second);
    weights.push_back(-count);
  }
  if (unknown.empty()) return std::nullopt;
  Budget cost = uncertainty::weighted_sum(parts, weights).scaled(1 / evidence.machine.at(unknown));
  if (uncertainty::interval_of(cost).lower <= 0) return std::nullopt;
  return std::pair(std::move(unknown), std::move(cost));
}

/// Their mean; what they differ by is an error of any other place that the opcode stands at.
Budget mean_of(const std::vector<Budget>& costs, int number) {
  const auto count = static_cast<double>(costs.size());
  Budget mean = uncertainty::weighted_sum(costs, std::vector<double>(costs.size(), 1.0 / count));
  if (costs.size() < 2) return mean;
  double squares = 0.0;
  for (const Budget& one : costs) squares += std::pow(one.value() - mean.value(), 2);
  mean.add(Cause::scatter, std::sqrt(squares / (count - 1)), {.program = "opcodes", .run = number});
  return mean;
}

/// One step: what follows for opcodes that are not known yet, from rows at `optimization`, of one
/// opcode where `alone`.
bool learn(const std::vector<Evidence>& rows, Optimization optimization, bool alone, Costs& known) {
  std::map<std::string, std::vector<Budget>> found;
  for (const Evidence& row : rows) {
    if (row.optimization != optimization || (alone && row.machine.size() != 1)) continue;
    auto one = conclusion_of(row, known);
    if (one) found[one->first].push_back(std::move(one->second));
  }
  for (const auto& [opcode, costs] : found) {
    known.emplace(opcode, mean_of(costs, static_cast<int>(known.size())));
  }
  return !found.empty();
}

/// "fma.rn.f32 $d, ...": the instruction as kernels spell it, where it is what the row is about.
std::string_view spelled(const kernels::Instruction& row) {
  std::string_view text = row.text;
  if (text.starts_with('$')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  text = text.substr(0, text.find(' '));
  const auto operation = [](std::string_view name) { return name.substr(0, name.find('.')); };
  return operation(text) == operation(row.key) ? text : std::string_view();
}

/// One name for what PTX spells in several ways: sums and products of floating point round to the
/// nearest without `.rn` too, loads are cached at all levels without `.ca` too, and what is only
/// moved has a width, no type.
std::string plainly(std::string_view name) {
  std::string plain(name);
  const std::string operation = plain.substr(0, plain.find('.'));
  const auto is = [&operation](const auto&... any) { return ((operation == any) || ...); };
  const std::size_t rounding = plain.find(".rn.");
  if (is("add", "sub", "mul") && rounding != std::string::npos) plain.erase(rounding, 3);
  const std::size_t cached = plain.find(".ca.");
  if (is("ld") && cached != std::string::npos) plain.erase(cached, 3);
  const std::size_t type = plain.rfind('.') + 1;
  constexpr std::string_view kTypes = "usf";
  if (is("ld", "st", "mov") && type < plain.size() &&
      kTypes.find(plain[type]) != std::string_view::npos) {
    plain[type] = 'b';
  }
  return plain;
}

}  // namespace

InstructionCosts::InstructionCosts(const Table& table, kernels::Operands operands) {
  std::vector<Evidence> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (!row.valid || row.key.operands != operands) continue;
    const Budget cost = cost_of(row, static_cast<int>(i));
    if (row.key.optimization == Optimization::O3) {
      ptx_.insert_or_assign(row.key.instruction, cost);
      const auto* known = kernels::find_instruction(row.key.instruction);
      if (known != nullptr) ptx_.emplace(spelled(*known), cost);
      ptx_.emplace(plainly(row.key.instruction), cost);
    }
    if (auto evidence = evidence_of(table, row, cost)) rows.push_back(std::move(*evidence));
  }
  learn(rows, Optimization::O3, true, opcodes_);
  learn(rows, Optimization::O0, true, opcodes_);
  for (int pass = 0; pass < kPasses; ++pass) {
    if (learn(rows, Optimization::O3, false, opcodes_)) continue;
    if (!learn(rows, Optimization::O0, false, opcodes_)) break;
  }
}

std::optional<Budget> InstructionCosts::of(std::string_view name) const {
  if (const auto row = ptx_.find(name); row != ptx_.end()) return row->second;
  if (const auto row = ptx_.find(plainly(name)); row != ptx_.end()) return row->second;
  if (const auto one = opcodes_.find(name); one != opcodes_.end()) return one->second;
  return std::nullopt;
}

}  // namespace truewatt::instructions
