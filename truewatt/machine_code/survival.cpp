#include "truewatt/machine_code/survival.hpp"

#include <fmt/format.h>

#include <string_view>

namespace truewatt::machine_code {
namespace {

/// Whether `opcode` is one of "A|B|C".
bool is_one_of(std::string_view names, std::string_view opcode) {
  while (!names.empty()) {
    const std::size_t end = names.find('|');
    if (names.substr(0, end) == opcode) return true;
    names = end == std::string_view::npos ? "" : names.substr(end + 1);
  }
  return false;
}

}  // namespace

std::optional<std::string> survived(const kernels::Instruction& instruction, kernels::Optimization,
                                    int, const Expansion& expansion) {
  constexpr double kLeft = 0.97;
  double count = 0;
  for (const OpcodeCount& one : expansion.per_instruction) {
    if (is_one_of(instruction.machine, one.opcode)) count += one.count;
  }
  if (count >= kLeft * instruction.machine_count) return std::nullopt;
  return fmt::format("{}: {:.2g} of {:.2g} {} per instruction are left", instruction.key, count,
                     instruction.machine_count, instruction.machine);
}

}  // namespace truewatt::machine_code
