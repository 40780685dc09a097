#include "truewatt/instructions/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "truewatt/instructions/instruction_kernel.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/machine_code/survival.hpp"

namespace truewatt::instructions {
namespace {

constexpr unsigned kMostCopies = 128;
/// Counts of a row, as shares of its largest.
constexpr double kShares[] = {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0};
/// At O0 the first three that are made of the same.
constexpr double kFewShares[] = {1.0, 1.0 / 3, 2.0 / 3, 0.5, 0.75, 0.25, 0.875};
constexpr std::size_t kFewestLoops = 3;
/// Counts of further measurements, in their order: where scatter is a share of what is measured, a
/// slope that is known already gains most from its far end.
constexpr double kMoreShares[] = {0.97, 0.94, 0.91, 0.84, 0.81, 0.78};
constexpr std::size_t kMoreLoops = 4;
/// Counts from this share of the largest on are measured again when no other is left.
constexpr double kFarEnd = 0.75;
/// Copies of the two loops that show what a copy expands to.
constexpr unsigned kFewCopies = 16;
constexpr unsigned kManyCopies = 32;

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

/// Whether a loop's copies are what the two that were looked at first were made of: assemblers
/// unite what they can, for some counts more than for others.
bool is_alike(const PlannedRow& planned, const load::CompiledKernel& code, unsigned copies) {
  constexpr double kOfOthers = 0.04;
  constexpr double kFew = 4.0;
  const auto body = body_of(code);
  if (!body) return false;
  const double expected = planned.of_loop + planned.per_copy * copies;
  return std::abs(static_cast<double>(body->instructions) - expected) <=
         kOfOthers * expected + kFew;
}

Unexpected refused(Row& row, Reason reason, const Error& error) {
  add_reason(row, reason);
  row.detail = error.message;
  return Unexpected(error);
}

/// Compiles two short loops, and from what they differ in chooses and compiles the three.
Result<void> compile_loops(load::Load& load, PlannedRow& planned) {
  auto few = compile(load, planned, kFewCopies);
  if (!few) return refused(planned.row, Reason::not_compiled, few.error());
  auto many = compile(load, planned, kManyCopies);
  if (!many) return refused(planned.row, Reason::not_compiled, many.error());
  const auto few_body = body_of(*few->code);
  const auto many_body = body_of(*many->code);
  if (!few_body) return refused(planned.row, Reason::folded, few_body.error());
  if (!many_body) return refused(planned.row, Reason::folded, many_body.error());
  const auto expansion = machine_code::expansion(*few_body, kFewCopies, *many_body, kManyCopies);
  planned.row.machine = expansion.per_instruction;
  if (const auto why = missing(planned, *many_body, expansion)) {
    add_reason(planned.row, Reason::folded);
    planned.row.detail = *why;
    return {};
  }
  planned.most_copies = most_copies(expansion);
  planned.per_copy = expansion.total;
  planned.of_loop = static_cast<double>(few_body->instructions) - kFewCopies * expansion.total;
  const bool few_do = planned.row.key.optimization == kernels::Optimization::O0;
  const auto shares = few_do ? std::span<const double>(kFewShares) : kShares;
  for (const double share : shares) {
    if (few_do && planned.loops.size() == kFewestLoops) break;
    const unsigned copies = to_ring(share * planned.most_copies);
    if (planned.loops.contains(copies)) continue;
    if (copies == kFewCopies || copies == kManyCopies) {
      planned.loops[copies] = copies == kFewCopies ? few->kernel : many->kernel;
      continue;
    }
    auto loop = compile(load, planned, copies);
    if (!loop) return refused(planned.row, Reason::not_compiled, loop.error());
    if (is_alike(planned, *loop->code, copies)) {
      planned.loops[copies] = std::move(loop->kernel);
    } else {
      planned.others.insert(copies);
    }
  }
  if (planned.loops.size() < kFewestLoops) {
    planned.loops.clear();
    add_reason(planned.row, Reason::folded);
    planned.row.detail = "loops of other lengths are not made of more of the same";
  }
  return {};
}

/// Whether nothing else runs in its loop: a simulated device runs PTX, and leaves out a partner
/// that has no row.
bool runs_alone(const Row& row) {
  const bool has_row = kernels::find_instruction(row.partner) != nullptr;
  return !has_row && row.machine.size() == 1 && row.machine.front().opcode == row.key.instruction;
}

}  // namespace

std::vector<unsigned> more_loops(load::Load& load, PlannedRow& planned) {
  std::vector<unsigned> added;
  for (const double share : kMoreShares) {
    const unsigned copies = to_ring(share * planned.most_copies);
    const bool is_tried = planned.loops.contains(copies) || planned.others.contains(copies);
    if (added.size() == kMoreLoops || is_tried) continue;
    auto loop = compile(load, planned, copies);
    if (!loop || !is_alike(planned, *loop->code, copies)) {
      planned.others.insert(copies);
      continue;
    }
    planned.loops[copies] = std::move(loop->kernel);
    added.push_back(copies);
  }
  if (added.empty()) {
    const double longest = planned.loops.empty() ? 0.0 : planned.loops.rbegin()->first;
    for (const auto& [copies, kernel] : planned.loops) {
      if (copies >= kFarEnd * longest) added.push_back(copies);
    }
  }
  // A row whose rounds had other lengths would take what changes between them for its slope.
  if (!planned.loops.empty()) added.push_back(planned.loops.begin()->first);
  return added;
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
  if (runs_alone(planned.row)) planned.row.partner.clear();
  return planned;
}

}  // namespace truewatt::instructions
