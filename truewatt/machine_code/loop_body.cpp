#include "truewatt/machine_code/loop_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "truewatt/machine_code/opcode.hpp"

namespace truewatt::machine_code {
namespace {

/// Words first to last of the code, both part of it.
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// The longest way back, the last of several, that passes no exit: code behind the exit (slow paths of a division) also
/// jumps back into the loop.
std::optional<Range> find_loop(const Code& code) {
  std::optional<Range> longest;
  std::size_t past_exit = 0;
  for (std::size_t at = 0; at < code.words.size(); ++at) {
    if (is_exit(code.words[at])) past_exit = at + 1;
    const auto target = branch_target(code, at);
    if (!target || *target >= at || *target < past_exit) continue;
    if (!longest || at - *target >= longest->last - longest->first) longest = Range{*target, at};
  }
  return longest;
}

std::vector<OpcodeCount> sorted(const std::map<std::string, double>& counts) {
  std::vector<OpcodeCount> rows;
  for (const auto& [opcode, count] : counts) rows.push_back({opcode, count});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const OpcodeCount& a, const OpcodeCount& b) { return a.count > b.count; });
  return rows;
}

}  // namespace

Result<LoopBody> loop_body(std::span<const std::byte> cubin, std::string_view kernel) {
  const auto code = kernel_code(cubin, kernel);
  if (!code) return Unexpected(code.error());
  const auto range = find_loop(*code);
  if (!range) {
    return Unexpected(Errc::parse, fmt::format("the machine code of {} has no loop", kernel));
  }
  LoopBody body{.sm = code->sm, .instructions = range->last - range->first + 1};
  std::map<std::string, double> counts;
  for (std::size_t at = range->first; at <= range->last; ++at) {
    const Word& word = code->words[at];
    counts[opcode_name(word, code->sm)] += 1;
    body.has_call = body.has_call || is_call(word);
  }
  body.opcodes = sorted(counts);
  return body;
}

Expansion expansion(const LoopBody& few, unsigned few_copies, const LoopBody& many,
                    unsigned many_copies) {
  constexpr double kNone = 0.005;
  const double copies = static_cast<double>(many_copies) - few_copies;
  std::map<std::string, double> counts;
  for (const OpcodeCount& one : many.opcodes) counts[one.opcode] += one.count / copies;
  for (const OpcodeCount& one : few.opcodes) counts[one.opcode] -= one.count / copies;
  Expansion result;
  result.total =
      (static_cast<double>(many.instructions) - static_cast<double>(few.instructions)) / copies;
  std::erase_if(counts, [&](const auto& one) { return std::fabs(one.second) < kNone; });
  result.per_instruction = sorted(counts);
  return result;
}

}  // namespace truewatt::machine_code
