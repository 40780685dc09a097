#include "truewatt/kernels/instructions/table.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace truewatt::kernels {
namespace {

constexpr std::array kGroups = {
    group::kInteger,    group::kLogic,   group::kSingle,    group::kDouble, group::kHalf,
    group::kMulti,      group::kSpecial, group::kIntrinsic, group::kBits,   group::kPacked,
    group::kConversion, group::kWarp,    group::kControl,   group::kMatrix, group::kMemory,
};

/// The paper's groups in its order, then ours.
std::ptrdiff_t place_of(const Instruction& row) {
  return std::find(kGroups.begin(), kGroups.end(), row.group) - kGroups.begin();
}

Rows all_rows() {
  Rows all;
  for (const Rows& some :
       {integer_rows(), logic_rows(), single_rows(), double_rows(), half_rows(), multi_rows(),
        special_rows(), intrinsic_rows(), conversion_rows(), warp_rows(), matrix_rows(),
        double_matrix_rows(), wgmma_rows(), memory_rows()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  std::stable_sort(all.begin(), all.end(), [](const Instruction& a, const Instruction& b) {
    return place_of(a) < place_of(b);
  });
  return all;
}

}  // namespace

std::string_view keep(std::string text) {
  static std::deque<std::string> kept;
  return kept.emplace_back(std::move(text));
}

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
