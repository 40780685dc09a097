#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "truewatt/base/units.hpp"

namespace truewatt::simgpu {

/// Steps of a process that is walked from its begin: the state at the begin of every block of them
/// is kept, and the last blocks that were asked for. A day of 2 ms is 10^4 states.
template <class Step>
class WalkedBlocks {
 public:
  static constexpr std::size_t kSteps = 4096;

  /// Step i; `next(i, step)` is the one after it.
  template <class Next>
  const Step& at(std::size_t i, Next next) {
    const std::size_t number = i / kSteps;
    while (begins_.size() <= number) walk(begins_.size() - 1, next);
    for (const Block& block : kept_) {
      if (block.number == number && !block.steps.empty()) return block.steps[i % kSteps];
    }
    return walk(number, next).steps[i % kSteps];
  }

  explicit WalkedBlocks(Step first) : begins_{first} {}

 private:
  struct Block {
    std::size_t number = 0;
    std::vector<Step> steps;
  };

  template <class Next>
  Block& walk(std::size_t number, Next next) {
    Block& block = kept_[oldest_];
    oldest_ = (oldest_ + 1) % kept_.size();
    block.number = number;
    block.steps.assign(1, begins_[number]);
    for (std::size_t i = number * kSteps; block.steps.size() < kSteps; ++i) {
      block.steps.push_back(next(i, block.steps.back()));
    }
    const bool is_last = begins_.size() == number + 1;
    if (is_last) begins_.push_back(next((number + 1) * kSteps - 1, block.steps.back()));
    return block;
  }

  std::vector<Step> begins_;  // of the blocks
  std::array<Block, 4> kept_;
  std::size_t oldest_ = 0;
};

/// Fluctuation of a board's power: an Ornstein-Uhlenbeck process, held constant over steps of a
/// fifth of its correlation time, so that value, integral and lag have closed forms. Always the
/// same for a seed. Not safe to ask from two threads.
class PowerNoise {
 public:
  static constexpr double kCorrelationTime = 0.010;  // s
  static constexpr double kStep = kCorrelationTime / 5;

  PowerNoise(Watts standard_deviation, std::uint64_t seed);

  bool silent() const { return sigma_ == 0.0; }

  double value(double t) const;
  /// Joules from 0 to t.
  double integral(double t) const;
  double double_integral(double t) const;
  double step_value(std::size_t i) const { return step(i).value; }

 private:
  struct Step {
    double value = 0.0;
    double integral = 0.0;  // at its begin, as the next
    double double_integral = 0.0;
  };
  Step step(std::size_t i) const;

  double sigma_;
  std::uint64_t seed_;
  mutable WalkedBlocks<Step> steps_;
};

/// The same noise behind a first-order lag.
class LaggedNoise {
 public:
  LaggedNoise(const PowerNoise& noise, double time_constant);
  double value(double t) const;
  double integral(double t) const;
  double double_integral(double t) const;

 private:
  const PowerNoise* noise_;
  double time_constant_;
  double decay_;                           // over one step
  mutable WalkedBlocks<double> at_begin_;  // behind the lag, at the begin of each step
};

}  // namespace truewatt::simgpu
