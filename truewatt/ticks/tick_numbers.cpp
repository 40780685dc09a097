#include "truewatt/ticks/tick_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::ticks {
namespace {

/// Intervals belong to one cluster when their logarithms differ by less than this.
constexpr double kClusterWidth = 0.2;
/// A cluster counts when it holds this share of the fullest one.
constexpr double kFilled = 0.6;
/// Intervals below this share of the usual long ones lie between the two values of one refresh.
constexpr double kDoubleInterval = 0.2;
/// Longer runs of ticks than this are cut: with random-walk jitter a far tick says little.
constexpr int kLongestStep = 8;

/// Brackets whose standard uncertainty is usually more than this share of the period smear its
/// intervals into each other: polls of 8 ms show a tick of 20 ms after 16 or 24 ms.
constexpr double kWide = 0.05;

double usual_sd(const std::vector<Tick>& ticks) {
  std::vector<double> sds;
  for (const Tick& tick : ticks) sds.push_back(tick.time_sd);
  return numerics::median(std::move(sds)).value_or(0.0);
}

bool has_wide_brackets(const std::vector<Tick>& ticks, double period) {
  return usual_sd(ticks) > kWide * period;
}

/// How well the ticks, in blocks of `block` seconds, so short that drift and the steps of a search
/// hardly matter to them, agree on one phase of `period`: mean of |sum exp(2 pi i t / period)| / n,
/// 1 at best. Nothing where the first blocks show that it is below `least`.
std::optional<double> agreement(const std::vector<Tick>& ticks, double period, double block,
                                double least) {
  constexpr std::size_t kMost = 1024;
  const std::size_t count = std::min(ticks.size(), kMost);
  const double turn = 2 * M_PI / period;
  double sum = 0.0;
  for (std::size_t i = 0; i < count;) {
    const double begin = ticks[i].time;
    double cosines = 0.0;
    double sines = 0.0;
    for (; i < count && ticks[i].time - begin < block; ++i) {
      const double phase = turn * (ticks[i].time - begin);
      cosines += std::cos(phase);
      sines += std::sin(phase);
    }
    sum += numerics::quadrature({cosines, sines});
    const double at_most = sum + static_cast<double>(count - i);
    if (at_most / static_cast<double>(count) < least) return std::nullopt;
  }
  return sum / static_cast<double>(count);
}

/// Start value where brackets are wide: the period around `rough` on which most ticks agree. A half
/// or a third of it does worse, since what smears a period smears its parts more.
double agreed_period(const std::vector<Tick>& ticks, double rough) {
  constexpr double kRange = 2.5;  // either way
  constexpr double kStep = 1.003;
  constexpr double kBlock = 64.0;  // rough periods
  constexpr double kPolls = 1.4;
  const int steps = static_cast<int>(std::log(kRange) / std::log(kStep));
  // Polls are a grid themselves, and all ticks were seen on it.
  const double polls = std::sqrt(12.0) * usual_sd(ticks);
  const double least = rough > kPolls * polls ? kPolls * polls : 0.0;
  double best = rough;
  double most = 0.0;
  // Most are much worse than the one to start from, and soon seen to be.
  const double at_rough =
      rough < least ? 0.0 : agreement(ticks, rough, kBlock * rough, 0.0).value_or(0.0);
  for (int i = -steps; i <= steps; ++i) {
    const double period = rough * std::pow(kStep, i);
    if (period < least) continue;
    const auto agrees = agreement(ticks, period, kBlock * rough, std::max(most, at_rough));
    if (!agrees || *agrees <= most) continue;
    most = *agrees;
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
  // A refresh that shows two values makes a cluster of tiny intervals; three quarters of all
  // intervals cannot be more than a few periods.
  const double least = logs[logs.size() * 3 / 4] + std::log(kDoubleInterval);
  logs.erase(logs.begin(), std::lower_bound(logs.begin(), logs.end(), least));
  std::vector<std::size_t> members;  // of the cluster that begins with each
  members.reserve(logs.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    while (end < logs.size() && logs[end] <= logs[i] + kClusterWidth) ++end;
    members.push_back(end - i);
  }
  const std::size_t fullest = *std::max_element(members.begin(), members.end());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (static_cast<double>(members[i]) < kFilled * static_cast<double>(fullest)) continue;
    const auto begin = logs.begin() + static_cast<std::ptrdiff_t>(i);
    return std::exp(*numerics::median({begin, begin + static_cast<std::ptrdiff_t>(members[i])}));
  }
  return std::nullopt;
}

/// Ticks whose time is known worse than this share of the period, and much worse than usual, are
/// no evidence of the grid: a poller that slept saw them.
constexpr double kLocated = 0.1;
constexpr double kMuchWorse = 3.0;

std::vector<Tick> located(const std::vector<Tick>& ticks, double period) {
  const std::vector<bool> wide = in_wide_brackets(ticks, period);
  std::vector<Tick> kept;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (!wide[i]) kept.push_back(ticks[i]);
  }
  return kept;
}

}  // namespace

std::optional<double> usual_interval(const std::vector<Tick>& ticks) {
  const auto rough = smallest_cluster(ticks);
  if (!rough || !has_wide_brackets(ticks, *rough)) return rough;
  return agreed_period(ticks, *rough);
}

std::vector<bool> in_wide_brackets(const std::vector<Tick>& ticks, double period) {
  const double usual = usual_sd(ticks);
  const double limit = std::max(kLocated * period, kMuchWorse * usual);
  std::vector<bool> wide;
  for (const Tick& tick : ticks) wide.push_back(tick.time_sd > limit);
  return wide;
}

Numbered number_ticks(const std::vector<Tick>& all, double period) {
  const std::vector<Tick> ticks = located(all, period);
  const bool wide = has_wide_brackets(ticks, period);
  const double follow = wide ? kFollow : 1.0;
  const double off_grid = wide ? kDoubleShare : kOffGrid;
  Numbered longest;
  Numbered numbered;
  double number = 0.0;
  double grid = 0.0;  // where the last tick was, as far as the ones before tell
  std::size_t strays = 0;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double steps = (ticks[i].time - grid) / period;
    const double whole = std::max(1.0, std::round(steps));
    const bool is_off = std::abs(steps - whole) > off_grid;
    const bool is_lost = whole > kLongestStep || (is_off && strays == kMostStrays);
    if (numbered.time.empty() || is_lost) {
      if (numbered.number.size() > longest.number.size()) longest = numbered;
      if (!numbered.time.empty() && is_off) i -= strays;  // another grid, from the first of them on
      numbered = {};
      number = 0.0;
      grid = ticks[i].time;
    } else if (is_off) {
      ++strays;
      continue;
    } else {
      number += whole;
      grid += whole * period;
      grid += follow * (ticks[i].time - grid);
    }
    strays = 0;
    numbered.number.push_back(number);
    numbered.time.push_back(ticks[i].time);
  }
  if (numbered.number.size() > longest.number.size()) longest = numbered;
  return longest;
}

}  // namespace truewatt::ticks
