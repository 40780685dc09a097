#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// Power as a random walk of jumps, seen through filters and integrals: a Kalman filter and its
// smoother over a plan of steps. Generic numerics; what the numbers mean, energy_course.hpp says.
namespace truewatt::energy {

/// What is done at the end of a step.
enum class StepAction : std::uint8_t {
  open,   ///< the integral `state` begins anew at 0, known to `variance`
  read,   ///< scale * state + noise was read
  count,  ///< the integral `state` was read by a counter, which counts on from there
};

/// What happens at the end of a step.
struct StepEnd {
  StepAction action = StepAction::read;
  std::uint16_t state = 0;  ///< that the action is about
  double scale = 1.0;       ///< read: of the state
  double value = 0.0;       ///< read, count: W or J; of a counter since its count before
  double variance = 0.0;    ///< read, count: of the noise in `value`, > 0
};

/// One step of time: the power jumps, stays for `length` seconds, and then something may happen.
struct Step {
  static constexpr std::uint32_t kNothing = 0xffffffff;
  double length = 0.0;             ///< s, >= 0
  double jump_variance = 0.0;      ///< of the power at the step's begin, W^2
  std::uint32_t end = kNothing;    ///< number of what happens at its end
  std::uint32_t next_reading = 0;  ///< the first reading at or behind it; the smoother's to tell
};

/// How a step deviates from the walk of jumps.
struct Swing {
  double watts = 0.0;     ///< power per unit of the deviation
  double variance = 0.0;  ///< of what the deviation changes by at the step's begin
  bool renews = false;    ///< the deviation begins anew there, at 0
};

/// Steps in order of time. Long recordings have tens of millions: each is kept small.
struct StepPlan {
  std::vector<Step> steps;
  std::vector<StepEnd> ends;  ///< in order of their steps
  std::vector<Swing> swings;  ///< by step; empty where no power deviates
  /// By step, a bit an integral, the first 64 of them: it does not grow; empty where all always do.
  std::vector<std::uint64_t> resting;

  void clear() {
    steps.clear();
    ends.clear();
    swings.clear();
    resting.clear();
  }
  void add(double length, double jump_variance) { steps.push_back({length, jump_variance}); }
  void add(double length, double jump_variance, const StepEnd& end) {
    steps.push_back({length, jump_variance, static_cast<std::uint32_t>(ends.size())});
    ends.push_back(end);
  }
};

/// How an integral grows: by so many times the power (filter 0), or what is behind filter number
/// `filter`.
struct Integral {
  std::size_t filter = 0;
  double scale = 1.0;
};

/// The state in the order that Step::state counts by: power; behind each filter, by time constant;
/// the integrals; the deviation, which power follows by Swing::watts.
struct StateLayout {
  std::vector<double> time_constants;  ///< s, > 0
  std::vector<Integral> integrals;
  bool deviates = false;
  std::size_t size() const { return deviation() + (deviates ? 1 : 0); }
  std::size_t deviation() const { return 1 + time_constants.size() + integrals.size(); }
  std::size_t filter(std::size_t i) const { return 1 + i; }
  std::size_t integral(std::size_t i) const { return 1 + time_constants.size() + i; }
};

/// A stretch of steps with weights: the functional sum of weight * length * power. `first` is the
/// number of the step that weights[0] belongs to; each is the share of its step that counts.
struct Functional {
  std::size_t first = 0;
  std::vector<double> weights;
};

/// What a functional rests on: its variance given all readings, and how much of each reading is in
/// it. Readings are counted as steps with an action read or count.
struct FunctionalError {
  double variance = 0.0;
  std::size_t first_reading = 0;
  std::vector<double> weights;  ///< d functional / d value of the readings from `first_reading` on
};

/// Mean and covariance of the power on every step, given all readings. Linear and Gaussian, so that
/// it is the best linear estimator whatever the jumps are distributed like. O(steps) in time and
/// memory; pure; any thread.
class PowerSmoother {
 public:
  /// `initial_w` with `initial_variance` is the power, settled, before the first step.
  PowerSmoother(StateLayout layout, StepPlan plan, double initial_w, double initial_variance);
  /// Its plan, for the next one's memory: until smooth_again() it answers nothing.
  StepPlan take_plan() { return std::move(plan_); }
  /// As if made anew, in the same memory.
  void smooth_again(StateLayout layout, StepPlan plan, double initial_w, double initial_variance);

  std::size_t steps() const { return plan_.steps.size(); }
  double length(std::size_t step) const { return plan_.steps[step].length; }
  /// Power on a step, W.
  double power(std::size_t i) const { return power_[i]; }
  /// Readings in the order of their steps: what the smoothed power makes of them, ...
  double fitted(std::size_t reading) const { return fitted_[reading]; }
  /// ... and the squared innovation over its expectation, 1 on average where all is as it should.
  double surprise(std::size_t reading) const { return surprise_[reading]; }
  /// Of all readings, but for a constant.
  double log_likelihood() const;
  /// The step that a reading ends.
  std::size_t step_of(std::size_t reading) const { return reading_step_[reading]; }
  std::size_t readings() const { return reading_step_.size(); }
  /// The first reading at or behind a step.
  std::size_t next_reading(std::size_t step) const { return plan_.steps[step].next_reading; }

  /// What is left of each of `width` columns, a row of numbers a reading, where the readings before
  /// it are taken for what they would be if all of them were off by theirs (de Jong 1991): the
  /// innovations' derivatives by errors that have these columns. O(steps * width).
  std::vector<double> innovations_of(std::span<const double> columns, std::size_t width) const;
  /// By how much more the smoothed power would be if all readings were off by such columns, W: a
  /// row of `width` numbers a step. O(steps * width).
  std::vector<float> responses_to(std::span<const double> columns, std::size_t width) const;
  /// What each reading would show of a course of the power, a number a step, settled before the
  /// first step; of a counter what it would count since its reading before. O(steps).
  std::vector<double> readings_of(std::span<const double> power) const;
  double innovation(std::size_t reading) const { return innovation_[reading]; }
  double innovation_variance(std::size_t reading) const { return innovation_variance_[reading]; }

  /// Variance and weights of a functional. O(its length and the filter's memory).
  FunctionalError error_of(const Functional& functional) const;
  /// The variance alone.
  double variance_of(const Functional& functional) const { return forwards(functional).variance; }

 private:
  /// What a functional errs by, and what of that each reading from the first step on has learnt.
  struct Forwards {
    double variance = 0.0;
    std::size_t first_reading = 0;
    std::vector<double> learnt;
    std::size_t behind = 0;  ///< step from which on readings say nothing of it
  };
  Forwards forwards(const Functional& functional) const;
  template <class Size>
  Forwards forwards(Size n, const Functional& functional) const;
  template <class Size>
  FunctionalError backwards(Size n, const Functional& functional, const Forwards& found) const;
  /// ... and what the filter alone makes of the power before each step, if that is wanted.
  template <class Size>
  void take_innovations(Size width, std::span<const double> columns,
                        std::vector<double>& innovations, std::vector<float>* power) const;
  template <class Size>
  void smooth_columns(Size width, std::span<const double> innovations,
                      std::vector<float>& power) const;
  /// `n` is n_, mostly a constant.
  template <class Size>
  void filter(Size n, double initial_w, double initial_variance);
  template <class Size>
  void smooth(Size n);
  /// What happens at a step's end; nothing if nothing does.
  const StepEnd* end_of(const Step& step) const {
    return step.end == Step::kNothing ? nullptr : &plan_.ends[step.end];
  }
  bool renews(std::size_t step) const { return layout_.deviates && plan_.swings[step].renews; }
  double swing_w(std::size_t step) const {
    return layout_.deviates ? plan_.swings[step].watts : 0.0;
  }
  std::uint64_t resting(std::size_t step) const {
    return plan_.resting.empty() ? 0 : plan_.resting[step];
  }
  void renew(std::size_t step, std::vector<double>& x) const {
    if (renews(step)) x[layout_.deviation()] = 0.0;
  }

  StateLayout layout_;
  StepPlan plan_;
  std::size_t n_ = 0;                      ///< size of the state
  std::vector<double> power_;              ///< filtered, then smoothed
  std::vector<double> rows_;               ///< per step: covariance of the power with the state
  std::vector<std::size_t> reading_step_;  ///< per reading
  std::vector<double> gain_;               ///< per reading: n_ numbers
  std::vector<double> innovation_;
  std::vector<double> innovation_variance_;
  std::vector<double> fitted_;
  std::vector<double> surprise_;
  /// Per reading, a bit a state: behind it the state is read before it begins anew.
  std::vector<std::uint32_t> awaited_;
};

}  // namespace truewatt::energy
