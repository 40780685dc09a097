#include "truewatt/energy/estimate/phase_lock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <vector>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// Fewer begins than this say nothing of how they spread.
constexpr std::size_t kFewestBegins = 8;
/// Mean of unit vectors at the begins' phases: 1 when locked, about 1/sqrt(n) when spread.
constexpr double kSpread = 0.3;
constexpr int kRingHarmonics = 5;
/// A load without breaks must last so many periods: what a part-time source makes of its two edges
/// is then at most a tenth of it, and a twentieth as a rule.
constexpr double kLongAgainstEdges = 10.0;
/// Breaks shorter than this are no breaks: launch latency.
constexpr Nanoseconds kSeamless = std::chrono::microseconds(200);

/// What ran within the window, breaks closed.
std::vector<ActivityInterval> stretches_of(const Recording& recording, const Window& window) {
  std::vector<ActivityInterval> stretches;
  for (const ActivityInterval& activity : recording.activity) {
    if (activity.end <= window.begin || activity.begin >= window.end) continue;
    const bool goes_on = !stretches.empty() && stretches.back().kind == activity.kind &&
                         activity.begin - stretches.back().end <= kSeamless;
    if (goes_on) {
      stretches.back().end = std::max(stretches.back().end, activity.end);
    } else {
      stretches.push_back(activity);
    }
  }
  return stretches;
}

double concentration(const std::vector<ActivityInterval>& stretches, const Window& window,
                     double period_s) {
  std::complex<double> sum = 0.0;
  for (const ActivityInterval& stretch : stretches) {
    const double cycles = seconds_between(window.begin, stretch.begin) / period_s;
    sum += std::polar(1.0, 2 * std::numbers::pi * cycles);
  }
  return std::abs(sum) / static_cast<double>(stretches.size());
}

/// Periods that the source may have, so close that from one to the next the last phase of
/// `length_s` moves by a tenth of a cycle of the highest harmonic. None where they are too many:
/// its phases are anything then.
std::vector<double> periods_within(const Interval& period_s, double length_s) {
  constexpr double kStep = 0.1 / kRingHarmonics;
  constexpr double kMost = 2000;
  const double cycles = length_s / period_s.lower - length_s / period_s.upper;
  const double count = std::max(std::ceil(cycles / kStep), 1.0);
  std::vector<double> periods;
  if (count > kMost) return periods;
  for (int i = 0; i <= static_cast<int>(count); ++i) {
    periods.push_back(period_s.lower + (period_s.upper - period_s.lower) * i / count);
  }
  return periods;
}

/// Readings less the mean of all, and which of the source's ticks they are of.
struct Deviations {
  double mean_w = 0.0;
  std::vector<double> values;
  std::vector<std::size_t> numbers;
};

double mean_of(const CondensedStretch& sums) {
  return sums.read_j / seconds_between(sums.begin_tick, sums.end_tick);
}

Deviations deviations(std::span<const ticks::Tick> readings, double period_s, double begin,
                      double end, std::span<const CondensedStretch> sums) {
  Deviations of;
  double sum = 0.0;
  std::size_t count = 0;
  for (const CondensedStretch& one : sums) {
    sum += static_cast<double>(one.readings) * mean_of(one);
    count += one.readings;
  }
  auto tick = std::lower_bound(readings.begin(), readings.end(), begin,
                               [](const ticks::Tick& one, double t) { return one.time < t; });
  for (; tick != readings.end() && tick->time <= end; ++tick) {
    of.values.push_back(tick->value);
    of.numbers.push_back(static_cast<std::size_t>(std::lround((tick->time - begin) / period_s)));
    sum += tick->value;
  }
  count += of.values.size();
  of.mean_w = sum / static_cast<double>(std::max<std::size_t>(1, count));
  for (double& value : of.values) value -= of.mean_w;
  return of;
}

/// Sums of products of readings by how far they are apart, as many as there are readings.
class Products {
 public:
  explicit Products(const std::vector<double>& values) : readings_(values.size()), by_lag_{} {
    for (std::size_t lag = 0; !values.empty() && lag <= farthest(); ++lag) {
      double sum = 0.0;
      for (std::size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
      // The longer the lag, the fewer the products.
      by_lag_[lag] = sum / (1.0 - static_cast<double>(lag) / static_cast<double>(readings_));
    }
  }
  /// Products of what differs from their mean, which differs from that of all.
  void add(const CondensedStretch& sums, double mean_w) {
    readings_ += sums.readings;
    const double off = mean_of(sums) - mean_w;
    const double between = static_cast<double>(sums.readings) * off * off;
    const std::size_t count = std::min(sums.products.size(), by_lag_.size());
    for (std::size_t lag = 0; lag < count; ++lag) by_lag_[lag] += sums.products[lag] + between;
  }
  std::size_t readings() const { return readings_; }
  std::size_t farthest() const {
    constexpr std::size_t kFewestRepeats = 4;
    return std::min(kFarthestProducts, readings_ / kFewestRepeats);
  }
  double correlation(std::size_t lag) const {
    return by_lag_[0] > 0 ? by_lag_[lag] / by_lag_[0] : 0.0;
  }

 private:
  std::size_t readings_;
  std::array<double, kFarthestProducts + 1> by_lag_;
};

/// After how many readings, 2 or more, they repeat, and how alike they are then.
struct Repeats {
  std::size_t after = 0;  ///< 0: they do not
  double alike = 0.0;     ///< correlation
};

Repeats repeats_of(const Products& products) {
  constexpr double kAlike = 0.5;
  // What merely changes slowly is alike after one reading and less so after every other.
  constexpr double kReturns = 0.5;
  Repeats best;
  double least = 1.0;
  for (std::size_t lag = 1; lag <= products.farthest(); ++lag) {
    const double alike = products.correlation(lag);
    const bool repeats = alike > kAlike && alike - least > kReturns;
    if (lag > 1 && repeats && alike > best.alike) best = {lag, alike};
    least = std::min(least, alike);
  }
  return best;
}

/// Of the readings' variance, what stands still over all of them at multiples of a frequency of one
/// in `after`: 1 where they repeat in step, little where the repeats drift through the readings.
double in_step(const Deviations& of, std::size_t after) {
  double squares = 0.0;
  // What each of `after` places in a repeat shows, summed over the repeats.
  std::vector<double> by_place(after, 0.0);
  for (std::size_t i = 0; i < of.values.size(); ++i) {
    squares += of.values[i] * of.values[i];
    by_place[of.numbers[i] % after] += of.values[i];
  }
  if (!(squares > 0)) return 0.0;
  double sums = 0.0;
  double all = 0.0;
  for (const double sum : by_place) {
    sums += sum * sum;
    all += sum;
  }
  const auto places = static_cast<double>(after);
  const double still = places * (sums - all * all / places);
  return still / (static_cast<double>(of.values.size()) * squares);
}

}  // namespace

double hidden_in_repeats(std::span<const ticks::Tick> readings, double period_s, double looks_s,
                         double begin, double end, std::span<const CondensedStretch> sums) {
  constexpr double kLeastUnseen = 0.1;  // of a period: no source is timed better
  const Deviations of = deviations(readings, period_s, begin, end, sums);
  const std::vector<double>& values = of.values;
  Products products(values);
  double squared_steps = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    squared_steps += std::pow(values[i] - values[i - 1], 2);
  }
  for (const CondensedStretch& stretch : sums) {
    products.add(stretch, of.mean_w);
    squared_steps += stretch.squared_steps;
  }
  const Repeats found = repeats_of(products);
  if (found.after == 0) return 0.0;
  const double unseen = std::max(kLeastUnseen * period_s, std::abs(period_s - looks_s));
  const double variance = period_s * unseen * squared_steps / 2;
  // One error that is made again with every repeat, as far as these stay in step: of sums that is
  // not known.
  const double repeats =
      static_cast<double>(products.readings()) / static_cast<double>(found.after);
  const double still = sums.empty() ? in_step(of, found.after) : found.alike;
  return std::sqrt(std::max(1.0, still * repeats) * variance);
}

bool shows_rhythm(std::vector<double> readings_w, double above_w) {
  constexpr double kSteady = 0.05;  // of what the load draws
  // What a jittering tick adds to one reading it takes from the next.
  constexpr std::size_t kTogether = 4;
  const std::size_t count = readings_w.size();
  if (count < 2 * kTogether) return true;
  const double mean =
      std::accumulate(readings_w.begin(), readings_w.end(), 0.0) / static_cast<double>(count);
  for (double& reading : readings_w) reading -= mean;
  double before = 0.0;
  double squared_steps = 0.0;
  for (std::size_t i = 0; i + kTogether <= count; i += kTogether) {
    const auto first = readings_w.begin() + static_cast<std::ptrdiff_t>(i);
    const double here = std::accumulate(first, first + kTogether, 0.0) / kTogether;
    if (i > 0) squared_steps += std::pow(here - before, 2);
    before = here;
  }
  const std::size_t steps = count / kTogether - 1;
  return std::sqrt(squared_steps / 2 / static_cast<double>(steps)) < kSteady * above_w ||
         repeats_of(Products(readings_w)).after > 0;
}

bool has_fast_rhythm(const Recording& recording, const Window& window, double period_s) {
  // Begins that stray from even intervals by more than this share of one meet any phase.
  constexpr double kRegular = 0.15;
  const std::vector<ActivityInterval> stretches = stretches_of(recording, window);
  if (stretches.size() < kFewestBegins) return false;
  std::vector<double> numbers;
  std::vector<double> begins;
  for (const ActivityInterval& stretch : stretches) {
    numbers.push_back(static_cast<double>(numbers.size()));
    begins.push_back(seconds_between(window.begin, stretch.begin));
  }
  const auto line = numerics::fit_line(numbers, begins);
  if (!line || line->slope >= period_s) return false;
  double squares = 0.0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const double even = line->center_y + line->slope * (numbers[i] - line->center_x);
    squares += std::pow(begins[i] - even, 2);
  }
  return std::sqrt(squares / static_cast<double>(begins.size())) <= kRegular * line->slope;
}

bool activity_excludes_lock(const Recording& recording, const Window& window,
                            const Interval& period_s) {
  const auto stretches = stretches_of(recording, window);
  if (stretches.size() == 1) {
    const Seconds length =
        std::min(stretches[0].end, window.end) - std::max(stretches[0].begin, window.begin);
    return length.count() >= kLongAgainstEdges * period_s.value;
  }
  if (stretches.size() < kFewestBegins || !(period_s.lower > 0)) return false;
  const auto periods = periods_within(period_s, Seconds(window.end - window.begin).count());
  for (const double period : periods) {
    for (int harmonic = 1; harmonic <= kRingHarmonics; ++harmonic) {
      if (concentration(stretches, window, period / harmonic) > kSpread) return false;
    }
  }
  return !periods.empty();
}

}  // namespace truewatt::energy
