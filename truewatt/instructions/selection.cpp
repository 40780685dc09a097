#include "truewatt/instructions/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/instructions/verification.hpp"
#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::instructions {
namespace {

/// One row of each kind: of Table I of Arafa et al. (2020), then modern ones.
constexpr std::string_view kStandard[] = {"add.s32",
                                          "add.u32",
                                          "sub.s32",
                                          "min.s32",
                                          "min.u32",
                                          "max.s32",
                                          "mul.lo.s32",
                                          "mul.lo.u32",
                                          "mad.lo.s32",
                                          "mul.hi.u32",
                                          "div.s32",
                                          "div.u32",
                                          "rem.s32",
                                          "rem.u32",
                                          "abs.s32",
                                          "and.b32",
                                          "or.b32",
                                          "xor.b32",
                                          "not.b32",
                                          "cnot.b32",
                                          "shl.b32",
                                          "shr.u32",
                                          "shr.s32",
                                          "add.f32",
                                          "sub.f32",
                                          "min.f32",
                                          "max.f32",
                                          "mul.f32",
                                          "fma.rn.f32",
                                          "div.rn.f32",
                                          "add.f64",
                                          "min.f64",
                                          "mul.f64",
                                          "fma.rn.f64",
                                          "div.rn.f64",
                                          "add.f16",
                                          "mul.f16",
                                          "add.cc.u32",
                                          "addc.cc.u32",
                                          "subc.cc.u32",
                                          "mad.lo.cc.u32",
                                          "madc.hi.u32",
                                          "rcp.rn.f32",
                                          "sqrt.rn.f32",
                                          "sqrt.approx.f32",
                                          "rsqrt.approx.f32",
                                          "sin.approx.f32",
                                          "cos.approx.f32",
                                          "lg2.approx.f32",
                                          "ex2.approx.f32",
                                          "copysign.f32",
                                          "mul24.lo.s32",
                                          "mad24.lo.u32",
                                          "sad.s32",
                                          "popc.b32",
                                          "clz.b32",
                                          "bfind.u32",
                                          "lop3.b32",
                                          "prmt.b32",
                                          "shf.l.wrap.b32",
                                          "brev.b32",
                                          "bfi.b32",
                                          "dp4a.s32.s32",
                                          "add.u64",
                                          "mad.wide.u32",
                                          "div.approx.f32",
                                          "rcp.approx.ftz.f32",
                                          "tanh.approx.f32",
                                          "fma.rn.f16x2",
                                          "add.f16x2",
                                          "fma.rn.bf16x2",
                                          "cvt.rn.f16x2.f32",
                                          "cvt.rn.satfinite.e4m3x2.f32",
                                          "cvt.rni.s32.f32",
                                          "shfl.sync.bfly.b32",
                                          "redux.sync.add.s32",
                                          "vote.sync.ballot.b32",
                                          "bar.sync",
                                          "bra.uniform",
                                          "bra.divergent",
                                          "mma.sync.m16n8k16.f32.f16",
                                          "mma.sync.m16n8k16.f32.bf16",
                                          "mma.sync.m16n8k8.f32.tf32",
                                          "mma.sync.m16n8k32.s32.s8",
                                          "mma.sync.m8n8k4.f64",
                                          "wgmma.m64n128k16.f32.f16",
                                          "wgmma.m64n128k32.f32.e4m3",
                                          "ld.shared.u32",
                                          "st.shared.u32",
                                          "ld.global.ca.u64",
                                          "ld.global.cg.u64",
                                          "st.global.u32",
                                          "atom.global.add.u32",
                                          "cp.async.cg.shared.global",
                                          "ldmatrix.sync.aligned.m8n8.x4.shared.b16"};

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

bool is_standard(std::string_view key) {
  return std::find(std::begin(kStandard), std::end(kStandard), key) != std::end(kStandard);
}

bool is_wanted(const kernels::Instruction& row, std::string_view wanted) {
  if (wanted == "all") return true;
  if (wanted == "arafa") return !row.paper.empty();
  if (wanted == "modern") return row.paper.empty();
  return wanted == row.group || matches(wanted, row.key);
}

/// The row of the same operation and type, such as `fma.rn.f32` for `fma.f32`.
std::optional<std::string> of_one_kind(std::string_view wanted) {
  const auto ends_of = [](std::string_view name) {
    return std::pair(name.substr(0, name.find('.')), name.substr(name.rfind('.') + 1));
  };
  if (wanted.find('.') == std::string_view::npos) return std::nullopt;
  for (const kernels::Instruction& row : kernels::instructions()) {
    if (ends_of(row.key) == ends_of(wanted)) return std::string(row.key);
  }
  return std::nullopt;
}

Unexpected nothing_matches(const std::string& wanted) {
  std::vector<std::string> names;
  for (const kernels::Instruction& row : kernels::instructions()) {
    names.emplace_back(row.key);
    names.emplace_back(row.group);
  }
  std::optional<std::string> near = of_one_kind(wanted);
  if (!near) near = close_name(wanted, names);
  const auto begins = [&wanted](const std::string& name) { return name.starts_with(wanted); };
  if (!near && !wanted.empty() && std::any_of(names.begin(), names.end(), begins)) {
    near = wanted + '*';
  }
  return {Errc::invalid_argument,
          fmt::format("no instruction or group `{}`{}; `truewatt instructions --list` lists them",
                      wanted, near ? fmt::format(" (did you mean `{}`?)", *near) : "")};
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

bool is_named(const Selection& selection, const kernels::Instruction& row) {
  return std::any_of(selection.only.begin(), selection.only.end(),
                     [&row](const std::string& wanted) { return is_wanted(row, wanted); });
}

}  // namespace

Result<std::vector<RowKey>> select_rows(const Selection& selection) {
  std::vector<const kernels::Instruction*> rows;
  const auto all = kernels::instructions();
  if (selection.only.empty()) {
    for (const kernels::Instruction& row : all) {
      if (!is_standard(row.key) || (selection.table_one && row.paper.empty())) continue;
      add_instruction(rows, row);
    }
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
  if (selection.verified) {
    for (const std::string_view key : rows_needed_by(verified_kernels())) {
      add_instruction(rows, *kernels::find_instruction(key));
    }
  }
  std::vector<RowKey> keys;
  for (const kernels::Instruction* row : rows) {
    for (const kernels::Optimization optimization : selection.optimizations) {
      for (const kernels::Operands operands : selection.operands) {
        RowKey key{std::string(row->key), optimization, operands};
        const bool is_there = std::find(keys.begin(), keys.end(), key) != keys.end();
        if (!is_there) keys.push_back(std::move(key));
      }
    }
  }
  return keys;
}

Result<void> keep_selected(Table& table, const Selection& selection, bool any_operands) {
  const auto keys = select_rows(selection);
  if (!keys) return Unexpected(keys.error());
  const auto is_selected = [&](const RowKey& key) {
    return std::any_of(keys->begin(), keys->end(), [&](const RowKey& wanted) {
      return wanted.instruction == key.instruction && wanted.optimization == key.optimization &&
             (any_operands || wanted.operands == key.operands);
    });
  };
  std::erase_if(table.rows, [&](const Row& row) { return !is_selected(row.key); });
  for (std::string& note : notes_of_partners(selection)) {
    const bool is_said =
        std::find(table.notes.begin(), table.notes.end(), note) != table.notes.end();
    if (!is_said) table.notes.push_back(std::move(note));
  }
  return {};
}

std::vector<std::string> notes_of_partners(const Selection& selection) {
  std::map<std::string_view, std::vector<std::string_view>> partners;  // and whose they are
  for (const kernels::Instruction& row : kernels::instructions()) {
    const auto* partner = kernels::find_instruction(row.partner);
    if (partner == nullptr || !is_named(selection, row) || is_named(selection, *partner)) continue;
    partners[partner->key].push_back(row.key);
  }
  std::vector<std::string> notes;
  for (const auto& [partner, rows] : partners) {
    const std::string others =
        rows.size() > 1 ? fmt::format(" (and {} more)", rows.size() - 1) : "";
    notes.push_back(fmt::format(
        "{} is measured too: each {}{} runs together with one, whose energy is subtracted", partner,
        rows.front(), others));
  }
  return notes;
}

}  // namespace truewatt::instructions
