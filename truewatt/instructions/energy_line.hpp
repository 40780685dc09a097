#pragma once

#include <optional>

namespace truewatt::instructions {

/// Joules above idle of an iteration with so many copies of an instruction.
struct IterationEnergy {
  double copies = 0.0;
  double joules = 0.0;  ///< > 0
};

/// A row's energies over its copies.
struct EnergyLine {
  double loop_j = 0.0;
  double copy_j = 0.0;

  /// By how much an energy is more, as a share of itself.
  double off(const IterationEnergy& one) const {
    return 1 - (loop_j + copy_j * one.copies) / one.joules;
  }
};

/// Least squares of a row's line, each energy as a share of its own value: boards scatter by
/// shares.
class LineOfShares {
 public:
  void add(const IterationEnergy& one);
  double count() const { return count_; }
  /// Nothing from one count of copies.
  std::optional<EnergyLine> line() const;

 private:
  double count_ = 0.0;
  double loop_ = 0.0;
  double copy_ = 0.0;
  double loop_loop_ = 0.0;
  double loop_copy_ = 0.0;
  double copy_copy_ = 0.0;
};

}  // namespace truewatt::instructions
