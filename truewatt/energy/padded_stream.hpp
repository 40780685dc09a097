#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/padded_energy.hpp"

namespace truewatt::energy {

/// One answer of a source: asked at `before`, answered at `time`, seconds on one axis.
struct Poll {
  double before = 0.0;
  double time = 0.0;
  double value = 0.0;  ///< W, or J of a counter
};

/// Energy of one window from raw polls as they come, in constant memory however long it is: polls
/// that repeat a value are dropped, readings in the middle of the window are condensed to sums, and
/// only those near its edges are kept. The result is that of padded_sum() or counter_difference()
/// on all readings, the unobserved energy at the seams of condensed stretches included. One stream
/// per thread.
class PaddedStream {
 public:
  /// `input.begin` and `input.end` may lie ahead; an end that nobody knows yet is infinite until
  /// end_at(). `is_counter`: values are counts.
  PaddedStream(const PaddedInput& input, bool is_counter);

  /// In order of time.
  void push(std::span<const Poll> polls);
  /// The window ends here: not before the last poll less a few update periods.
  void end_at(double end) { input_.end = end; }
  /// What has been seen so far. Errors: those of padded_sum() and counter_difference();
  /// insufficient_data where a counter went backwards.
  Result<PaddedEnergy> energy() const;

  /// Readings and condensed stretches in memory.
  std::size_t kept() const {
    return before_.size() + early_.size() + middle_.size() + late_.size();
  }

 private:
  void add(const Tick& tick);
  Tick* newest();
  void condense(const Tick& tick);

  PaddedInput input_;
  bool is_counter_;
  double reach_s_;
  Poll last_{.before = 0.0, .time = 0.0, .value = std::numeric_limits<double>::quiet_NaN()};
  bool is_first_ = true;      ///< the value there was before anybody looked
  bool went_back_ = false;    ///< a counter was reset
  double widest_tick_ = 0.0;  ///< s
  std::deque<Tick> before_;   ///< the idle before the window
  std::vector<Tick> early_;   ///< the window's first readings
  std::vector<Stretch> middle_;
  std::size_t per_block_ = 1;  ///< stretches that a full one of `middle_` holds
  std::deque<Tick> late_;      ///< the window's last readings, and all after it
};

}  // namespace truewatt::energy
