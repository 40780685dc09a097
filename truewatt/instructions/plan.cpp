#include "truewatt/instructions/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "truewatt/instructions/instruction_kernel.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/machine_code/survival.hpp"
#include "truewatt/store/nearest_name.hpp"

namespace truewatt::instructions {
namespace {

constexpr unsigned kMostCopies = 128;
/// Counts of a row, as shares of its largest.
constexpr std::array<double, 5> kShares{0.125, 0.25, 0.5, 0.75, 1.0};

/// Whether `text` is of the form `pattern`, in which `*` stands for any characters.
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at) {
    if (matches(rest, text.substr(at))) return true;
  }
  return false;
}

bool is_wanted(const kernels::Instruction& row, std::string_view wanted) {
  if (wanted == "arafa") return !row.paper.empty();
  if (wanted == "modern") return row.paper.empty();
  return wanted == row.group || matches(wanted, row.key);
}

Unexpected nothing_matches(const std::string& wanted) {
  std::vector<std::string> names;
  for (const kernels::Instruction& row : kernels::instructions()) {
    names.emplace_back(row.key);
    names.emplace_back(row.group);
  }
  const auto near = store::close_name(wanted, names);
  return {Errc::invalid_argument,
          fmt::format("no instruction or group `{}`{}; `truewatt instructions --list` lists them",
                      wanted, near ? fmt::format("; did you mean `{}`?", *near) : "")};
}

/// Instructions of one kind that come first because others need them.
void add_instruction(std::vector<const kernels::Instruction*>& rows,
                     const kernels::Instruction& row) {
  if (std::find(rows.begin(), rows.end(), &row) != rows.end()) return;
  if (!row.partner.empty()) {
    if (const auto* partner = kernels::find_instruction(row.partner)) {
      add_instruction(rows, *partner);
    }
  }
  rows.push_back(&row);
}

struct Compiled {
  std::shared_ptr<const kernels::Kernel> kernel;
  const load::CompiledKernel* code = nullptr;
};

Result<Compiled> compile(load::Load& load, const PlannedRow& planned, unsigned copies) {
  Compiled made{.kernel = make_loop({.instruction = planned.instruction,
                                     .optimization = planned.row.key.optimization,
                                     .operands = planned.row.key.operands,
                                     .copies = copies,
                                     .overhead = planned.overhead})};
  const auto code = load.compile(made.kernel);
  if (!code) return Unexpected(code.error());
  made.code = *code;
  return made;
}

/// The loop as the back end knows it: decoded, or told by a simulated device.
Result<machine_code::LoopBody> body_of(const load::CompiledKernel& code) {
  if (!code.image.empty()) {
    return machine_code::loop_body(code.image, kernels::kInstructionEntry);
  }
  machine_code::LoopBody body;
  for (const kernels::Executed& one : code.loop) {
    body.opcodes.push_back({one.instruction, one.count});
    body.instructions += static_cast<std::size_t>(one.count);
  }
  return body;
}

/// Nothing where the instruction is what runs, else why not. A simulated device runs PTX: its
/// machine instructions have PTX names.
std::optional<std::string> missing(const PlannedRow& planned, const machine_code::LoopBody& body,
                                   const machine_code::Expansion& expansion) {
  const kernels::Instruction& row = *planned.instruction;
  if (body.sm != 0) {
    return machine_code::survived(row, planned.row.key.optimization, body.sm, expansion);
  }
  constexpr double kLeft = 0.97;
  double count = 0.0;
  for (const auto& one : expansion.per_instruction) {
    if (one.opcode == row.key) count = one.count;
  }
  if (count >= kLeft) return std::nullopt;
  return fmt::format("{}: {:.2g} of 1 per instruction are left", row.key, count);
}

unsigned to_ring(double copies) {
  const auto rings = static_cast<unsigned>(copies / kernels::kRing);
  return std::max(1U, rings) * kernels::kRing;
}

/// Copies whose loop stays in the instruction cache; three rings at least, which long expansions
/// need for three counts.
unsigned most_copies(const machine_code::Expansion& expansion) {
  const double fit = kLongestLoop / std::max(1.0, expansion.total);
  return std::clamp(to_ring(fit), 3 * kernels::kRing, kMostCopies);
}

Unexpected refused(Row& row, Reason reason, const Error& error) {
  add_reason(row, reason);
  row.detail = error.message;
  return Unexpected(error);
}

/// Compiles two short loops, and from what they differ in chooses and compiles the three.
Result<void> compile_loops(load::Load& load, PlannedRow& planned) {
  const unsigned few_copies = kernels::kRing;
  const unsigned many_copies = 3 * kernels::kRing;
  auto few = compile(load, planned, few_copies);
  if (!few) return refused(planned.row, Reason::not_compiled, few.error());
  auto many = compile(load, planned, many_copies);
  if (!many) return refused(planned.row, Reason::not_compiled, many.error());
  const auto few_body = body_of(*few->code);
  const auto many_body = body_of(*many->code);
  if (!few_body) return refused(planned.row, Reason::folded, few_body.error());
  if (!many_body) return refused(planned.row, Reason::folded, many_body.error());
  const auto expansion = machine_code::expansion(*few_body, few_copies, *many_body, many_copies);
  planned.row.machine = expansion.per_instruction;
  if (const auto why = missing(planned, *many_body, expansion)) {
    add_reason(planned.row, Reason::folded);
    planned.row.detail = *why;
    return {};
  }
  for (const double share : kShares) {
    const unsigned copies = to_ring(share * most_copies(expansion));
    if (planned.loops.contains(copies)) continue;
    auto loop = compile(load, planned, copies);
    if (!loop) return refused(planned.row, Reason::not_compiled, loop.error());
    planned.loops[copies] = std::move(loop->kernel);
  }
  return {};
}

}  // namespace

Result<std::vector<RowKey>> select_rows(const Selection& selection) {
  std::vector<const kernels::Instruction*> rows;
  const auto all = kernels::instructions();
  if (selection.only.empty()) {
    for (const kernels::Instruction& row : all) add_instruction(rows, row);
  }
  for (const std::string& wanted : selection.only) {
    bool found = false;
    for (const kernels::Instruction& row : all) {
      if (!is_wanted(row, wanted)) continue;
      add_instruction(rows, row);
      found = true;
    }
    if (!found) return nothing_matches(wanted);
  }
  std::vector<RowKey> keys;
  for (const kernels::Instruction* row : rows) {
    for (const kernels::Optimization optimization : selection.optimizations) {
      for (const kernels::Operands operands : selection.operands) {
        keys.push_back({std::string(row->key), optimization, operands});
      }
    }
  }
  return keys;
}

PlannedRow plan_row(load::Load& load, const RowKey& key, kernels::LoopOverhead overhead) {
  PlannedRow planned{.instruction = kernels::find_instruction(key.instruction),
                     .overhead = overhead};
  planned.row = {.key = key,
                 .group = std::string(planned.instruction->group),
                 .paper = std::string(planned.instruction->paper),
                 .partner = std::string(planned.instruction->partner),
                 .fma_per_warp = planned.instruction->fma_per_warp};
  if (!compile_loops(load, planned)) planned.loops.clear();
  return planned;
}

}  // namespace truewatt::instructions
