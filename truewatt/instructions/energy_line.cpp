#include "truewatt/instructions/energy_line.hpp"

namespace truewatt::instructions {

void LineOfShares::add(const IterationEnergy& one) {
  const double of_loop = 1 / one.joules;
  const double of_copy = one.copies / one.joules;
  count_ += 1;
  loop_ += of_loop;
  copy_ += of_copy;
  loop_loop_ += of_loop * of_loop;
  loop_copy_ += of_loop * of_copy;
  copy_copy_ += of_copy * of_copy;
}

std::optional<EnergyLine> LineOfShares::line() const {
  constexpr double kSingular = 1e-9;
  const double determinant = loop_loop_ * copy_copy_ - loop_copy_ * loop_copy_;
  if (!(determinant > kSingular * loop_loop_ * copy_copy_)) return std::nullopt;
  return EnergyLine{(loop_ * copy_copy_ - copy_ * loop_copy_) / determinant,
                    (copy_ * loop_loop_ - loop_ * loop_copy_) / determinant};
}

}  // namespace truewatt::instructions
