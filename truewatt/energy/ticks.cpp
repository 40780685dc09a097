#include "truewatt/energy/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// Intervals belong to one cluster when their logarithms differ by less than this.
constexpr double kClusterWidth = 0.2;
/// A cluster counts when it holds this share of the fullest one.
constexpr double kFilled = 0.6;
/// Intervals below this share of the usual long ones lie between the two values of one refresh.
constexpr double kDoubleInterval = 0.2;
/// Longer runs of ticks than this are cut: with random-walk jitter a far tick says little.
constexpr int kLongestStep = 8;
constexpr int kGridTicks = 32;
/// Ticks in wide brackets are counted from where the grid is thought to be, which follows each by
/// this share: from tick to tick an interval would be rounded up and the next one not down.
constexpr double kFollow = 0.1;
/// Least share of the brackets' variance that ticks stray by.
constexpr double kLeastOfBracket = 0.3;

/// Brackets whose standard uncertainty is usually more than this share of the period smear its
/// intervals into each other: polls of 8 ms show a tick of 20 ms after 16 or 24 ms.
constexpr double kWide = 0.05;

bool has_wide_brackets(const std::vector<Tick>& ticks, double period) {
  std::vector<double> sds;
  for (const Tick& tick : ticks) sds.push_back(tick.time_sd);
  return numerics::median(std::move(sds)).value_or(0.0) > kWide * period;
}

/// How well the ticks, in blocks that drift hardly matters to, agree on one phase of `period`:
/// mean of |sum exp(2 pi i t / period)| / n, 1 at best.
double agreement(const std::vector<Tick>& ticks, double period) {
  constexpr std::size_t kBlock = 64;
  constexpr std::size_t kMost = 1024;
  const std::size_t count = std::min(ticks.size(), kMost);
  const double turn = 2 * M_PI / period;
  double sum = 0.0;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    double cosines = 0.0;
    double sines = 0.0;
    for (std::size_t i = begin; i < std::min(begin + kBlock, count); ++i) {
      const double phase = turn * (ticks[i].time - ticks[begin].time);
      cosines += std::cos(phase);
      sines += std::sin(phase);
    }
    sum += numerics::quadrature({cosines, sines});
  }
  return sum / static_cast<double>(count);
}

/// Start value where brackets are wide: the period around `rough` on which most ticks agree. A half
/// or a third of it does worse, since what smears a period smears its parts more.
double agreed_period(const std::vector<Tick>& ticks, double rough) {
  constexpr double kRange = 2.5;  // either way
  constexpr double kStep = 1.003;
  const int steps = static_cast<int>(std::log(kRange) / std::log(kStep));
  double best = rough;
  double most = 0.0;
  for (int i = -steps; i <= steps; ++i) {
    const double period = rough * std::pow(kStep, i);
    const double agrees = agreement(ticks, period);
    if (agrees <= most) continue;
    most = agrees;
    best = period;
  }
  return best;
}

/// Median of the smallest strong cluster of intervals (method, section 3.2).
std::optional<double> smallest_cluster(const std::vector<Tick>& ticks) {
  std::vector<double> logs;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const double interval = ticks[i].time - ticks[i - 1].time;
    if (ticks[i].follows && interval > 0) logs.push_back(std::log(interval));
  }
  if (logs.empty()) return std::nullopt;
  std::sort(logs.begin(), logs.end());
  const auto members_from = [&logs](std::size_t first) {
    const auto end = std::upper_bound(logs.begin() + static_cast<std::ptrdiff_t>(first), logs.end(),
                                      logs[first] + kClusterWidth);
    return static_cast<std::size_t>(end - logs.begin()) - first;
  };
  // A refresh that shows two values makes a cluster of tiny intervals; three quarters of all
  // intervals cannot be more than a few periods.
  const double least = logs[logs.size() * 3 / 4] + std::log(kDoubleInterval);
  logs.erase(logs.begin(), std::lower_bound(logs.begin(), logs.end(), least));
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) fullest = std::max(fullest, members_from(i));
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const std::size_t members = members_from(i);
    if (static_cast<double>(members) < kFilled * static_cast<double>(fullest)) continue;
    const auto begin = logs.begin() + static_cast<std::ptrdiff_t>(i);
    return std::exp(*numerics::median({begin, begin + static_cast<std::ptrdiff_t>(members)}));
  }
  return std::nullopt;
}

/// Start value of the period.
std::optional<double> usual_interval(const std::vector<Tick>& ticks) {
  const auto rough = smallest_cluster(ticks);
  if (!rough || !has_wide_brackets(ticks, *rough)) return rough;
  return agreed_period(ticks, *rough);
}

/// Ticks whose time is known worse than this share of the period, and much worse than usual, are
/// no evidence of the grid: a poller that slept saw them.
constexpr double kLocated = 0.1;
constexpr double kMuchWorse = 3.0;

std::vector<Tick> located(const std::vector<Tick>& ticks, double period) {
  std::vector<double> sds;
  for (const Tick& tick : ticks) sds.push_back(tick.time_sd);
  const double usual = numerics::median(std::move(sds)).value_or(0.0);
  const double limit = std::max(kLocated * period, kMuchWorse * usual);
  std::vector<Tick> kept;
  std::copy_if(ticks.begin(), ticks.end(), std::back_inserter(kept),
               [limit](const Tick& tick) { return tick.time_sd <= limit; });
  return kept;
}

/// Tick numbers and times of the longest run of ticks whose steps are near multiples of `period`.
struct Numbered {
  std::vector<double> number;
  std::vector<double> time;
};

Numbered number_ticks(const std::vector<Tick>& all, double period) {
  const std::vector<Tick> ticks = located(all, period);
  Numbered longest;
  Numbered numbered;
  double number = 0.0;
  double grid = 0.0;  // where the last tick was, as far as the ones before tell
  const double follow = has_wide_brackets(ticks, period) ? kFollow : 1.0;
  const auto keep_longer = [&] {
    if (numbered.number.size() > longest.number.size()) longest = numbered;
  };
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (i > 0) {
      const double steps = (ticks[i].time - grid) / period;
      const double whole = std::max(1.0, std::round(steps));
      if (whole > kLongestStep || std::abs(steps - whole) > kDoubleShare) {
        keep_longer();
        numbered = {};
        number = 0.0;
        grid = ticks[i].time;
      } else {
        number += whole;
        grid += whole * period;
      }
      grid += follow * (ticks[i].time - grid);
    } else {
      grid = ticks[i].time;
    }
    numbered.number.push_back(number);
    numbered.time.push_back(ticks[i].time);
  }
  keep_longer();
  return longest;
}

/// The rests of a trace, asked for in order of time.
class RestFinder {
 public:
  explicit RestFinder(const Trace& trace) : gaps_(trace.gaps) {}
  bool any_within(HostTime begin, HostTime end) {
    while (next_ < gaps_.size() && gaps_[next_].end <= begin) ++next_;
    for (std::size_t i = next_; i < gaps_.size() && gaps_[i].begin < end; ++i) {
      if (gaps_[i].cause == kNotAsked) return true;
    }
    return false;
  }

 private:
  const std::vector<Gap>& gaps_;
  std::size_t next_ = 0;
};

std::vector<Tick> brackets_to_ticks(const Trace& trace, HostTime origin) {
  std::vector<Tick> ticks;
  ticks.reserve(trace.samples.size());
  bool follows = true;
  RestFinder rests(trace);
  HostTime last = trace.begin;
  for (const Sample& sample : trace.samples) {
    follows = !rests.any_within(last, sample.before) && follows;
    last = sample.seen;
    // Never the first: its bracket is open anyway.
    if (!ticks.empty() && rests.any_within(sample.before, sample.seen)) {
      follows = false;
      continue;
    }
    const double lower = seconds_between(origin, sample.before);
    const double upper = seconds_between(origin, sample.seen);
    ticks.push_back(
        {(lower + upper) / 2, (upper - lower) / std::sqrt(12.0), sample.value, follows});
    follows = true;
  }
  return ticks;
}

/// Folds the second value of a refresh into the first's tick.
std::vector<Tick> fold_doubles(const std::vector<Tick>& ticks, double period) {
  std::vector<Tick> folded;
  for (const Tick& tick : ticks) {
    if (!folded.empty() && tick.time - folded.back().time < kDoubleShare * period) {
      folded.back().value = tick.value;
    } else {
      folded.push_back(tick);
    }
  }
  return folded;
}

/// Time of the tick before `ticks[0]`, from the grid of the first few of them.
std::optional<Tick> tick_before(const std::vector<Tick>& ticks, double period) {
  const auto count = std::min<std::size_t>(ticks.size(), kGridTicks);
  const Numbered numbered =
      number_ticks({ticks.begin(), ticks.begin() + static_cast<std::ptrdiff_t>(count)}, period);
  if (numbered.time.size() < 3 || numbered.time.front() != ticks.front().time) return std::nullopt;
  const auto line = numerics::fit_line(numbered.number, numbered.time, ticks.front().time_sd);
  if (!line) return std::nullopt;
  const Uncertain time = line->at(-1.0);
  return Tick{time.value, numerics::quadrature({time.standard_uncertainty, line->residual_sd}),
              0.0};
}

}  // namespace

std::vector<Tick> publications(const Trace& trace, HostTime origin) {
  if (trace.samples.empty()) return {};
  std::vector<Tick> ticks = brackets_to_ticks(trace, origin);
  // The stamps of the driver's ring say when even its first entry was published.
  const bool first_is_open = trace.source.kind != SourceKind::power_samples;
  const Tick first = ticks.front();
  if (first_is_open) ticks.erase(ticks.begin());
  const auto usual = usual_interval(ticks);
  if (usual) ticks = fold_doubles(ticks, *usual);
  if (!first_is_open) return ticks;
  if (!usual || ticks.empty()) return ticks;
  auto before = tick_before(ticks, *usual);
  // The first value was there when polling began; a grid tick later than that is a missed one.
  const double polled = seconds_between(origin, trace.samples.front().seen);
  if (before) {
    const double missed = std::ceil((before->time - polled) / *usual);
    before->time -= std::max(missed, 0.0) * *usual;
    before->value = first.value;
    ticks.insert(ticks.begin(), *before);
  }
  return ticks;
}

std::vector<Tick> polls_as_ticks(const Trace& trace, HostTime origin) {
  if (counts_energy(trace.source) || trace.polls < kFewestPolls || trace.samples.empty()) return {};
  const double begin = seconds_between(origin, trace.begin);
  const double interval =
      seconds_between(trace.begin, trace.end) / static_cast<double>(trace.polls - 1);
  std::vector<Tick> ticks;
  std::size_t shown = 0;
  for (std::uint64_t i = 0; i < trace.polls; ++i) {
    const double time = begin + interval * static_cast<double>(i);
    while (shown + 1 < trace.samples.size() &&
           seconds_between(origin, trace.samples[shown + 1].seen) <= time + interval / 2) {
      ++shown;
    }
    ticks.push_back({time, interval / std::sqrt(12.0), trace.samples[shown].value});
  }
  return ticks;
}

namespace {

/// Share of the random walk in what makes ticks stray from their grid, the rest being each tick's
/// own (its bracket, white jitter): from none to all.
constexpr std::array kWalkShares = {0.0,  1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01,
                                    0.03, 0.1,  0.2,  0.4,  0.6,  0.8,  0.9,  1.0};

struct PeriodFit {
  double correction = 0.0;  ///< of the period that the residuals were taken from, s
  double variance = 0.0;    ///< of the period, per unit of `scale`
  double scale = 0.0;       ///< variance of straying, s^2
  double likelihood = 0.0;  ///< restricted, logarithm
};

/// Generalized least squares of the intervals between ticks on their numbers of periods. Their
/// errors are correlated with their neighbours': V = scale tridiagonal(m w + 2 (1 - w), w - 1) for
/// a walk's share w (docs/method.md, eq. 7). One sweep of Gauss elimination.
PeriodFit fit_intervals(const Numbered& ticks, double period, double walk) {
  const std::size_t count = ticks.time.size() - 1;
  const double off = walk - 1.0;
  double pivot = 0.0;
  double step = 0.0;      // eliminated number of periods
  double residual = 0.0;  // eliminated interval less that many periods
  double mm = 0.0;
  double me = 0.0;
  double ee = 0.0;
  double log_determinant = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double m = ticks.number[i + 1] - ticks.number[i];
    const double e = ticks.time[i + 1] - ticks.time[i] - m * period;
    const double factor = i == 0 ? 0.0 : off / pivot;
    pivot = m * walk + 2 * (1.0 - walk) - factor * off;
    step = m - factor * step;
    residual = e - factor * residual;
    mm += step * step / pivot;
    me += step * residual / pivot;
    ee += residual * residual / pivot;
    log_determinant += std::log(pivot);
  }
  PeriodFit fit{.correction = me / mm, .variance = 1.0 / mm};
  const double freedom = static_cast<double>(count) - 1.0;
  fit.scale = std::max(ee - me * me / mm, 0.0) / freedom;
  fit.likelihood =
      -(freedom * std::log(std::max(fit.scale, 1e-30)) + log_determinant + std::log(mm)) / 2;
  return fit;
}

/// The period near `period` with its standard uncertainty, averaged over what may make the ticks
/// stray, by likelihood. `least_scale`: variance that the ticks' brackets leave at least, s^2.
Uncertain period_from(const Numbered& ticks, double period, double least_scale) {
  std::vector<PeriodFit> fits;
  double most = -std::numeric_limits<double>::infinity();
  for (const double walk : kWalkShares) {
    fits.push_back(fit_intervals(ticks, period, walk));
    // All mixtures together weigh as much as either end, and have a parameter more (Schwarz 1978).
    const bool is_mixture = walk > 0.0 && walk < 1.0;
    const auto count = static_cast<double>(ticks.time.size());
    if (is_mixture)
      fits.back().likelihood -= std::log(count) / 2 + std::log(kWalkShares.size() - 2);
    most = std::max(most, fits.back().likelihood);
  }
  double weights = 0.0;
  double mean = 0.0;
  double squares = 0.0;
  for (const PeriodFit& fit : fits) {
    const double weight = std::exp(fit.likelihood - most);
    weights += weight;
    mean += weight * fit.correction;
    squares += weight *
               (fit.correction * fit.correction + fit.variance * std::max(fit.scale, least_scale));
  }
  mean /= weights;
  return {period + mean, std::sqrt(std::max(squares / weights - mean * mean, 0.0))};
}

}  // namespace

std::optional<Interval> update_period(const std::vector<Tick>& ticks) {
  if (ticks.size() < 4) return std::nullopt;
  auto period = usual_interval(ticks);
  if (!period) return std::nullopt;
  double brackets = 0.0;
  for (const Tick& tick : ticks) brackets += tick.time_sd * tick.time_sd;
  const double least = kLeastOfBracket * brackets / static_cast<double>(ticks.size());
  Uncertain refined;
  for (int round = 0; round < 3; ++round) {
    const Numbered numbered = number_ticks(ticks, *period);
    if (numbered.time.size() < 3) return std::nullopt;
    const auto line = numerics::fit_line(numbered.number, numbered.time);
    if (!line || !(line->slope > 0)) return std::nullopt;
    refined = period_from(numbered, line->slope, least);
    period = refined.value;
  }
  return interval95(refined);
}

std::vector<Tick> on_grid(std::vector<Tick> ticks, double period) {
  std::vector<double> numbers;
  std::vector<double> times;
  double grid = ticks.empty() ? 0.0 : ticks.front().time;
  for (const Tick& tick : ticks) {
    const double steps = std::round((tick.time - grid) / period);
    numbers.push_back((numbers.empty() ? 0.0 : numbers.back()) + steps);
    times.push_back(tick.time);
    grid += steps * period;
    grid += kFollow * (tick.time - grid);
  }
  auto line = numerics::fit_line(numbers, times);
  if (!line || !(line->slope > 0)) return ticks;
  // Once more from the line itself: a tick in a very wide bracket is one off before it is known.
  const double begin = line->at(0.0).value;
  for (std::size_t i = 0; i < times.size(); ++i) {
    numbers[i] = std::round((times[i] - begin) / line->slope);
  }
  line = numerics::fit_line(numbers, times);
  if (!line) return ticks;
  const double sd = line->residual_sd / std::sqrt(static_cast<double>(line->points));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    ticks[i].time = line->at(numbers[i]).value;
    ticks[i].time_sd = sd;
  }
  return ticks;
}

}  // namespace truewatt::energy
