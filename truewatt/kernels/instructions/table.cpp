#include "truewatt/kernels/instructions/table.hpp"

#include <algorithm>

namespace truewatt::kernels {
namespace {

Rows all_rows() {
  Rows all;
  for (const Rows& some : {integer_rows(), logic_rows(), single_rows(), double_rows(), half_rows(),
                           multi_rows(), special_rows(), intrinsic_rows(), conversion_rows(),
                           warp_rows(), memory_rows(), matrix_rows(), wgmma_rows()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

std::span<const Instruction> instructions() {
  static const Rows kRows = all_rows();
  return kRows;
}

const Instruction* find_instruction(std::string_view key) {
  const auto rows = instructions();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Instruction& row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace truewatt::kernels
