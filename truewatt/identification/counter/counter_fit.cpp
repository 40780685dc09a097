#include "truewatt/identification/counter/counter_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "truewatt/identification/fit/fit_uncertainty.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::identification {
namespace {

/// A tick so much later than the one before it followed one that nobody saw.
constexpr double kMissed = 1.5;  // periods
/// Increments over edges that stray so much more than the others ask for another kind of counting.
constexpr double kUnexplained = 1.5;
constexpr int kCounterIterations = 15;
/// Of a counter that ticks every millisecond more increments cost time and tell little.
constexpr std::size_t kMostIncrements = 3000;
constexpr std::array kInnerReadings = {2, 4, 5, 10};
/// Gaps are looked for in steps of this share of the period, then thrice in a third of it.
constexpr double kGapStep = 0.05;
constexpr int kGapRefinements = 3;
constexpr int kGapIterations = 5;
/// A driver's inner step (H200: a millisecond).
constexpr double kInnerStep = 1e-3;  // s

double root_mean_square(double sum_of_squares, int count) {
  return count > 0 ? std::sqrt(sum_of_squares / count) : 0.0;
}

bool changes_within(std::span<const Work> work, double begin, double end) {
  const auto next = std::lower_bound(work.begin(), work.end(), begin,
                                     [](const Work& w, double time) { return w.end < time; });
  return next != work.end() && (next->begin < end && (next->begin > begin || next->end < end));
}

/// Residuals of increments within which the load changed, and of the others.
void judge_noise(CounterFit& counter, const JointFit& fit, std::span<const ticks::Tick> readings,
                 std::span<const Work> work, double period) {
  std::array<double, 2> sums{};
  std::array<int, 2> counts{};
  for (std::size_t k = 0; k < readings.size(); ++k) {
    const double end = readings[k].time;
    const std::size_t edge = changes_within(work, end - 1.5 * period, end) ? 1 : 0;
    sums[edge] += fit.residuals[k] * fit.residuals[k];
    ++counts[edge];
  }
  counter.quiet_noise_w = root_mean_square(sums[0], counts[0]);
  counter.edge_noise_w = root_mean_square(sums[1], counts[1]);
}

/// How long readings are that counts of steady power have one more or less of, s: with even odds
/// half of all counts do. 0 where few do, or what is known of the ticks' own times makes as much.
double strays_of(const JointFit& fit, std::span<const ticks::Tick> readings,
                 std::span<const Work> work, double period) {
  constexpr double kLeast = 0.06;  // of the period
  constexpr double kOfAll = 0.75;
  constexpr double kTickSds = 3.0;
  constexpr std::size_t kFewest = 20;
  std::vector<double> shares;
  double tick_sd = 0.0;
  for (std::size_t k = 0; k < readings.size(); ++k) {
    const double end = readings[k].time;
    const double value = readings[k].value;
    if (!(value > 0) || changes_within(work, end - 1.5 * period, end)) continue;
    shares.push_back(std::abs(fit.residuals[k]) / value);
    tick_sd = std::max(tick_sd, readings[k].time_sd);
  }
  if (shares.size() < kFewest) return 0.0;
  const auto at =
      shares.begin() + static_cast<std::ptrdiff_t>(kOfAll * static_cast<double>(shares.size()));
  std::nth_element(shares.begin(), at, shares.end());
  const double least = std::max(kLeast * period, kTickSds * tick_sd);
  // With other odds fewer counts show less.
  constexpr double kUpTo = 1.5;
  const double strays = std::min(*at, 1.0) * period;
  return strays > least ? std::min(kUpTo * strays, period) : 0.0;
}

using Kernel = std::vector<KernelTerm>;

Kernel all_of(double period) { return {{1.0, 0.0, period}}; }

/// From a tick on: seen until `begin`, not until `begin + length`, which is charged by the value
/// then, and seen until the next tick.
Kernel gap_of(double period, double begin, double length) {
  const double rest = period - begin - length;
  Kernel kernel{{length / period, rest, kInnerStep}, {rest / period, 0.0, rest}};
  if (begin > 0) kernel.push_back({begin / period, period - begin, begin});
  return kernel;
}

Kernel sampled_of(double period, int readings) {
  Kernel kernel;
  for (int j = 0; j < readings; ++j) {
    kernel.push_back({1.0 / readings, j * period / readings, std::nullopt});
  }
  return kernel;
}

/// Mean age of what a kernel sums over that of one reading whose window is `window`.
double older_by(const Kernel& kernel, double window) {
  double older = 0.0;
  for (const KernelTerm& term : kernel) {
    older += term.weight * (term.age + (term.window.value_or(window) - window) / 2);
  }
  return older;
}

/// A kind of counting with its best fit.
struct CounterCandidate {
  Counting counting = Counting::all;
  double inner_period = 0.0;
  double gap_begin = 0.0;
  Interval gap_length;
  Kernel kernel;
  JointFit fit;
};

/// Tries kinds of counting on the same increments.
class CounterSearch {
 public:
  CounterSearch(std::span<const ticks::Tick> readings, std::span<const Work> work, double period,
                const JointFit& one_window)
      : readings_(readings), work_(work), period_(period), start_(one_window) {}

  /// One window of any length: one reading a tick, or all of the time.
  CounterCandidate one_window() const {
    return {.counting = Counting::sampled,
            .inner_period = period_,
            .fit = fit_from(with({}), start_.structure, start_.parameters, start_.noise_sd_w,
                            kCounterIterations)};
  }

  CounterCandidate all() const {
    return held({.counting = Counting::all, .kernel = all_of(period_)}, start_.parameters,
                kCounterIterations);
  }

  CounterCandidate gap() const {
    std::vector<CounterCandidate> tried;
    for (int begin = 0; begin <= 3; ++begin) {
      for (int length = 1; length <= 4; ++length) {
        tried.push_back(gap_at(kGapStep * begin, kGapStep * length, start_.parameters));
      }
    }
    double step = kGapStep;
    for (int refined = 0; refined < kGapRefinements; ++refined) {
      step /= 3;
      const CounterCandidate rough = best_of(tried);
      for (int i = -1; i <= 1; ++i) {
        for (int j = -2; j <= 2; ++j) {
          const double begin = rough.gap_begin / period_ + i * step;
          const double length = rough.gap_length.value / period_ + j * step;
          if ((i == 0 && j == 0) || begin < 0 || length <= 0) continue;
          tried.push_back(gap_at(begin, length, rough.fit.parameters));
        }
      }
    }
    CounterCandidate best = best_of(tried);
    // Every length that some begin makes nearly as likely, and a step on either side.
    for (const CounterCandidate& other : tried) {
      if (other.fit.cost > best.fit.cost + kLikelihoodDrop) continue;
      const double most = step * period_;
      best.gap_length.lower = std::min(best.gap_length.lower, other.gap_length.value - most);
      best.gap_length.upper = std::max(best.gap_length.upper, other.gap_length.value + most);
    }
    return best;
  }

  CounterCandidate sampled(int readings) const {
    std::vector<CounterCandidate> tried;
    for (const double share : {0.2, 0.8}) {
      CounterCandidate candidate{.counting = Counting::sampled,
                                 .inner_period = period_ / readings,
                                 .kernel = sampled_of(period_, readings)};
      Parameters from = start_.parameters;
      from[kLogWindow] = std::log(share * candidate.inner_period);
      candidate.fit = fit_from(with(candidate.kernel), start_.structure, from, start_.noise_sd_w,
                               kCounterIterations);
      tried.push_back(std::move(candidate));
    }
    return best_of(tried);
  }

  FitData with(const Kernel& kernel) const { return {readings_, work_, nullptr, kernel}; }
  std::span<const ticks::Tick> readings() const { return readings_; }
  std::span<const Work> work() const { return work_; }

 private:
  static const CounterCandidate& best_of(const std::vector<CounterCandidate>& tried) {
    return *std::min_element(tried.begin(), tried.end(),
                             [](const auto& x, const auto& y) { return x.fit.cost < y.fit.cost; });
  }
  /// `begin` and `length` in periods.
  CounterCandidate gap_at(double begin, double length, const Parameters& from) const {
    const double seconds = length * period_;
    return held({.counting = Counting::gap,
                 .gap_begin = begin * period_,
                 .gap_length = {seconds, seconds, seconds, 0.95},
                 .kernel = gap_of(period_, begin * period_, seconds)},
                from, kGapIterations);
  }
  /// Kernels without a free window.
  CounterCandidate held(CounterCandidate candidate, Parameters from, int most_iterations) const {
    from[kLogWindow] = std::log(period_);
    candidate.fit = fit_from(with(candidate.kernel), start_.structure, from, start_.noise_sd_w,
                             most_iterations, kLogWindow);
    return candidate;
  }

  std::span<const ticks::Tick> readings_;
  std::span<const Work> work_;
  double period_;
  const JointFit& start_;
};

Interval of_logarithm(const JointFit& fit, Parameter parameter) {
  const double value = std::exp(fit.parameters[parameter]);
  const double factor =
      std::exp(kCoverageFactor95 * std::sqrt(fit.covariance[parameter][parameter]));
  return {value, value / factor, value * factor, 0.95};
}

/// What the increments say of the sensor when they are counted like this.
void take_over(ObservationFit& fit, CounterCandidate& candidate, const CounterSearch& search,
               double period) {
  const bool sampled = candidate.counting == Counting::sampled;
  add_covariance(candidate.fit, search.with(candidate.kernel),
                 sampled ? std::nullopt : std::optional(kLogWindow));
  const JointFit& joint = candidate.fit;
  const double sd = std::sqrt(joint.covariance[kDelay][kDelay]);
  fit.delay = interval95({joint.parameters[kDelay], sd});
  if (joint.structure.lag) fit.time_constant = of_logarithm(joint, kLogLag);
  fit.amplitude = {joint.amplitude_w, joint.amplitude_sd_w};
  fit.idle = {joint.idle_w, joint.idle_sd_w};
  if (sampled) {
    fit.averaging_window = of_logarithm(joint, kLogWindow);
  } else {
    const Interval& gap = candidate.gap_length;
    fit.averaging_window = {period - gap.value, period - gap.upper, period - gap.lower, 0.95};
  }
  fit.joint = std::move(candidate.fit);
}

/// Means over as long as they are apart, or a little longer, are all of the time.
bool leaves_out(const CounterCandidate& sampled) {
  constexpr double kShortest = 0.95;
  constexpr double kLongest = 1.15;
  const double share = std::exp(sampled.fit.parameters[kLogWindow]) / sampled.inner_period;
  return share < kShortest || share > kLongest;
}

/// The simplest kind that no other beats clearly, tried from simple to complicated.
void choose_counting(CounterFit& counter, const CounterSearch& search, double period) {
  CounterCandidate best = search.all();
  if (CounterCandidate one = search.one_window();
      leaves_out(one) && 2 * one.fit.cost + kClearlyBetter < 2 * best.fit.cost) {
    best = std::move(one);
  }
  judge_noise(counter, best.fit, search.readings(), search.work(), period);
  if (counter.edge_noise_w > kUnexplained * counter.quiet_noise_w) {
    std::vector<CounterCandidate> others;
    // A gap looks much like one long window; a counter that integrates is the usual one.
    CounterCandidate gap = search.gap();
    const bool as_good = 2 * gap.fit.cost < 2 * best.fit.cost + kClearlyBetter;
    if (best.counting == Counting::sampled && as_good) {
      best = std::move(gap);
    } else {
      others.push_back(std::move(gap));
    }
    for (const int readings : kInnerReadings) {
      CounterCandidate several = search.sampled(readings);
      if (leaves_out(several)) others.push_back(std::move(several));
    }
    for (CounterCandidate& other : others) {
      if (2 * other.fit.cost + kClearlyBetter < 2 * best.fit.cost) best = std::move(other);
    }
    judge_noise(counter, best.fit, search.readings(), search.work(), period);
  }
  counter.counting = best.counting;
  counter.gap_begin = best.gap_begin;
  counter.gap_length = best.gap_length;
  if (best.counting == Counting::sampled) counter.inner_period = best.inner_period;
  if (best.kernel.empty() || best.counting == Counting::all) return;
  counter.older = older_by(best.kernel, std::exp(best.fit.parameters[kLogWindow]));
  // What a gap charges by its end is younger than its middle by half of the gap.
  const double gap_sd = standard_uncertainty_of(best.gap_length);
  counter.older_sd = best.gap_length.value / period * gap_sd;
  take_over(counter.fit, best, search, period);
}

}  // namespace

double CounterFit::duty(double update_period) const {
  switch (counting) {
    case Counting::all:
      return 1.0;
    case Counting::gap:
      return 1.0 - std::max(0.0, gap_length.value - 2 * fit.time_constant.value) / update_period;
    case Counting::sampled:
      return std::min(
          1.0, equivalent_window(fit.averaging_window, fit.time_constant).value / inner_period);
    case Counting::unresolved:
      break;
  }
  return 0.0;
}

std::vector<ticks::Tick> increments(std::span<const ticks::Tick> ticks, double period) {
  std::vector<ticks::Tick> result;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const double apart = ticks[i].time - ticks[i - 1].time;
    const double joules = ticks[i].value - ticks[i - 1].value;
    if (!ticks[i].follows || apart <= 0 || apart > kMissed * period || joules < 0) continue;
    const double time_sd = numerics::quadrature({ticks[i].time_sd, ticks[i - 1].time_sd});
    result.push_back({ticks[i].time, time_sd, joules / apart});
  }
  return result;
}

Result<CounterFit> fit_counter(std::span<const ticks::Tick> ticks, std::span<const Work> work,
                               double period, std::span<const JointFit> earlier) {
  const auto seen = thinned(well_located(increments(ticks, period)), kMostIncrements);
  const auto regular = thinned(
      increments(ticks::on_grid({ticks.begin(), ticks.end()}, period), period), kMostIncrements);
  auto by_seen = fit_observation({seen, work}, period, earlier);
  if (!by_seen) return Unexpected(by_seen.error());
  auto by_grid = fit_observation({regular, work}, period, by_seen->structures);
  if (!by_grid) return Unexpected(by_grid.error());
  CounterFit counter;
  counter.on_grid = is_likelier(*by_grid, *by_seen);
  counter.fit = counter.on_grid ? std::move(*by_grid) : std::move(*by_seen);
  const std::vector<ticks::Tick>& readings = counter.on_grid ? regular : seen;
  choose_counting(counter, CounterSearch(readings, work, period, counter.fit.joint), period);
  counter.strays_s = strays_of(counter.fit.joint, readings, work, period);
  if (counter.strays_s > 0) counter.counting = Counting::unresolved;
  counter.age = sensor_lag(counter.fit.joint) + counter.older - period / 2;
  counter.was_reset = std::adjacent_find(ticks.begin(), ticks.end(),
                                         [](const ticks::Tick& a, const ticks::Tick& b) {
                                           return b.value < a.value;
                                         }) != ticks.end();
  return counter;
}

}  // namespace truewatt::identification
