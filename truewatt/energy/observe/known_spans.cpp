#include "truewatt/energy/observe/known_spans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "truewatt/energy/observe/observed_source.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::energy {
namespace {

/// s; no sensor is known to be later ...
constexpr double kLatest = 0.6;
/// ... and what is further from all edges of work tells nothing of it.
constexpr double kBeside = 3.0;

/// Work of 1 W behind a filter, and its integral.
class FilteredWork {
 public:
  FilteredWork(const std::vector<TimeSpan>& work, double time_constant)
      : time_constant_(time_constant) {
    double last = -std::numeric_limits<double>::infinity();
    for (const TimeSpan& one : work) {
      const double begin = std::max(one.begin, last);
      if (!(one.end > begin)) continue;
      add_edge(begin, 1.0);
      add_edge(last = one.end, 0.0);
    }
  }
  /// From the begin of all until then, J.
  double until(double time) const {
    const auto after = std::upper_bound(edges_.begin(), edges_.end(), time,
                                        [](double t, const Edge& edge) { return t < edge.time; });
    return after == edges_.begin() ? 0.0 : integral(*std::prev(after), time);
  }
  bool has_edge_within(double from, double to) const {
    const auto first = std::lower_bound(edges_.begin(), edges_.end(), from,
                                        [](const Edge& edge, double t) { return edge.time < t; });
    return first != edges_.end() && first->time <= to;
  }

 private:
  struct Edge {
    double time = 0.0;
    double power = 0.0;     ///< from here on
    double filtered = 0.0;  ///< here
    double joules = 0.0;    ///< of the filtered until here
  };

  void add_edge(double time, double power) {
    Edge edge{time, power};
    if (!edges_.empty()) {
      const Edge& before = edges_.back();
      edge.filtered = filtered(before, time);
      edge.joules = integral(before, time);
    }
    edges_.push_back(edge);
  }
  double filtered(const Edge& from, double time) const {
    if (!(time_constant_ > 0)) return from.power;
    return from.power +
           (from.filtered - from.power) * std::exp(-(time - from.time) / time_constant_);
  }
  /// (8c) of docs/method.md.
  double integral(const Edge& from, double time) const {
    return from.joules + from.power * (time - from.time) -
           time_constant_ * (filtered(from, time) - from.filtered);
  }

  double time_constant_;
  std::vector<Edge> edges_;
};

/// Mean power over `length` before `time`.
struct Mean {
  double time = 0.0;
  double length = 0.0;
  double watts = 0.0;
};

std::vector<Mean> means_near(const ObservedSource& source, const FilteredWork& work) {
  constexpr std::size_t kMost = 2000;
  constexpr double kShortest = 1e-4;  // s
  std::vector<Mean> means;
  for (std::size_t i = 0; i < source.readings.size(); ++i) {
    const ObservedReading& reading = source.readings[i];
    const bool is_near = work.has_edge_within(reading.time - kBeside, reading.time + kBeside);
    if (reading.span > 0 || !is_near) continue;
    if (source.look != Look::counter) {
      means.push_back({reading.time, std::max(source.window, kShortest), reading.value});
    } else if (!reading.is_first && i > 0) {
      const double length = reading.time - source.readings[i - 1].time;
      if (length > 0) means.push_back({reading.time, length, reading.value / length});
    }
  }
  if (means.size() <= kMost) return means;
  std::vector<Mean> some;
  for (std::size_t i = 0; i < kMost; ++i) some.push_back(means[i * means.size() / kMost]);
  return some;
}

/// Mean square of what a line of known work leaves, where the readings are `late`, W².
double left_by(const std::vector<Mean>& means, const FilteredWork& work, double late) {
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (const Mean& mean : means) {
    const double end = mean.time - late;
    const double share = (work.until(end) - work.until(end - mean.length)) / mean.length;
    x += share;
    y += mean.watts;
    xx += share * share;
    xy += share * mean.watts;
    yy += mean.watts * mean.watts;
  }
  const auto n = static_cast<double>(means.size());
  const double sxx = xx - x * x / n;
  const double sxy = xy - x * y / n;
  const double syy = std::max(0.0, yy - y * y / n);
  const double explained = sxx > 0 && sxy > 0 ? sxy * sxy / sxx : 0.0;
  return std::max(0.0, syy - explained) / n;
}

/// A shift, what it leaves, and how far others that leave nearly as little are from each other.
struct Shift {
  double late = 0.0;
  double left = std::numeric_limits<double>::infinity();
  double spread = 0.0;
  bool is_alone = true;  ///< of all others one beside the other, and none apart from them
};

/// What leaves at most as much again as the best, beyond scatter, is as good.
constexpr double kNearly = 1.0;
/// Work is what stamps say if a filter leaves at most so much of the readings' variance beyond
/// scatter: of levels that change it makes nothing that can be told from a slower filter's.
constexpr double kUnexplained = 0.01;
/// Twice the logarithm of a likelihood that is higher by far.
constexpr double kBetter = 12.0;

constexpr double kFinest = 5e-3;  // s
/// Of filters that are tried, s.
constexpr std::array kConstants = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.4};
/// Half of a range over a standard deviation.
const double kUniform = std::sqrt(3.0);

/// A filter, and by how much its time constant is open, s; 0: none.
struct Filter {
  double time_constant = 0.0;
  double open = 0.0;
};

/// Mean square, W², of what is no board's doing.
double scatter_in(const ObservedSource& source) {
  const double length = source.look == Look::counter ? source.period : 1.0;
  return std::pow(source.scatter_at_rest / length, 2);
}

/// Tries shifts from the earliest on, with filters and without.
class ShiftSearch {
 public:
  ShiftSearch(const std::vector<Mean>& means, const std::vector<TimeSpan>& work, double earliest,
              const ObservedSource& source)
      : means_(means),
        work_(work),
        earliest_(earliest),
        step_(std::max(kFinest, source.period / 5)),
        scatter_(scatter_in(source)) {}

  Shift best(double constant) const { return best(constant, step_); }

  /// Whether the readings' variance but for their scatter is nearly all explained.
  bool is_explained(double left) const {
    std::vector<double> watts;
    for (const Mean& mean : means_) watts.push_back(mean.watts);
    return beyond_scatter(left) < kUnexplained * std::pow(numerics::summarize(watts)->sd, 2);
  }

  /// Whether what is left is so much less that the readings are likelier by far.
  bool is_likelier(double left, double than) const {
    const double floor = std::max(left, 1e-12);
    return static_cast<double>(means_.size()) * std::log(than / floor) > kBetter;
  }

  /// The filter that leaves least, if that is much less than without: a board that rises slowly
  /// looks like one, but for its falls.
  Filter filter(const Shift& unfiltered) const {
    constexpr double kFiltered = 0.5;  // of what is left without, beyond scatter
    double constant = 0.0;
    double left = unfiltered.left - kFiltered * beyond_scatter(unfiltered.left);
    for (const double tried : kConstants) keep_better(tried, constant, left);
    if (constant == 0.0 || !is_likelier(left, unfiltered.left)) {
      return {.open = slowest_like(unfiltered.left)};
    }
    for (double factor = 1.3; factor > 1.002; factor = std::sqrt(factor)) {
      const double from = constant;
      keep_better(from / factor, constant, left);
      keep_better(from * factor, constant, left);
    }
    return {constant, open_about(constant, left)};
  }

 private:
  Shift best(double constant, double step) const {
    const FilteredWork filtered(work_, constant);
    const auto at = [&](double late) { return Shift{late, left_by(means_, filtered, late)}; };
    const auto less = [](const Shift& a, const Shift& b) { return a.left < b.left; };
    std::vector<Shift> tried;
    for (double late = earliest_; late <= kLatest; late += step) tried.push_back(at(late));
    Shift best = *std::min_element(tried.begin(), tried.end(), less);
    for (double finer = step / 2; finer > step_ / 100; finer /= 2) {
      for (const double late : {best.late - finer, best.late + finer}) {
        if (late < earliest_) continue;
        const Shift other = at(late);
        if (less(other, best)) best = other;
      }
    }
    double from = best.late;
    double to = best.late;
    double like = 0.0;  // them, in a row
    for (const Shift& other : tried) {
      if (!is_nearly(other.left, best.left)) continue;
      from = std::min(from, other.late);
      to = std::max(to, other.late);
      like += step;
    }
    best.spread = std::max(to - from, step / 10);
    best.is_alone = best.spread < like + step;
    return best;
  }

  /// Of filters the shift moves slowly: a coarse search finds it.
  double left_with(double constant) const {
    constexpr double kCoarse = 0.02;  // s
    return best(constant, std::max(kCoarse, step_)).left;
  }

  void keep_better(double tried, double& constant, double& left) const {
    const double with = left_with(tried);
    if (!(with < left)) return;
    constant = tried;
    left = with;
  }

  /// The first time constant above all that leave nearly as little as none does.
  double slowest_like(double unfiltered) const {
    const auto last = std::find_if(kConstants.rbegin(), kConstants.rend(), [&](double constant) {
      return is_nearly(left_with(constant), unfiltered);
    });
    return last == kConstants.rbegin() ? kConstants.back() : *std::prev(last);
  }

  /// Half of the range of time constants that leave nearly as little.
  double open_about(double constant, double left) const {
    constexpr double kLeast =
        0.08;  // of it: boards idle at other levels before work than behind it
    double from = constant;
    double to = constant;
    for (double factor = 1.02; factor < 1.6; factor *= 1.06) {
      if (is_nearly(left_with(constant / factor), left)) from = constant / factor;
      if (is_nearly(left_with(constant * factor), left)) to = constant * factor;
    }
    return std::max((to - from) / 2, kLeast * constant);
  }

  /// The board beside its model; scatter tells nothing of a shape.
  double beyond_scatter(double left) const { return std::max(0.0, left - scatter_); }

  bool is_nearly(double left, double best) const {
    const double by_scatter =
        kBetter * std::max(best, scatter_) / static_cast<double>(means_.size());
    return left - best < std::max(kNearly * beyond_scatter(best), by_scatter);
  }

  const std::vector<Mean>& means_;
  const std::vector<TimeSpan>& work_;
  double earliest_;
  double step_;
  double scatter_;  ///< mean square of readings at steady power, W²
};

}  // namespace

std::optional<SeenLate> seen_late(const ObservedSource& source, const std::vector<TimeSpan>& work) {
  constexpr std::size_t kFewest = 10;
  constexpr double kBeyond = 2.0;  // standard uncertainties
  constexpr double kOpen = 0.1;    // s
  const std::vector<Mean> means = means_near(source, FilteredWork(work, 0.0));
  if (means.size() < kFewest) return std::nullopt;
  // No reading shows what comes after it.
  const ShiftSearch search(means, work, std::min(0.0, -source.delay), source);
  const double now = left_by(means, FilteredWork(work, source.time_constant), 0.0);
  const Shift unfiltered = search.best(0.0);
  const Filter filter = search.filter(unfiltered);
  const Shift best = filter.time_constant > 0 ? search.best(filter.time_constant) : unfiltered;
  // What is assumed is what boards have, unless it leaves nearly everything open.
  const bool is_as_assumed =
      source.lag_sd < kOpen && std::abs(best.late) < kBeyond * source.age_sd &&
      std::abs(filter.time_constant - source.time_constant) < kBeyond * source.lag_sd + kFinest;
  if (!best.is_alone || is_as_assumed || !search.is_likelier(best.left, now)) return std::nullopt;
  return SeenLate{.later_s = best.late,
                  .later_sd = best.spread / 2 / kUniform,
                  .time_constant = filter.time_constant,
                  .constant_sd = filter.open / kUniform,
                  .explains = !(filter.time_constant > 0) || search.is_explained(best.left)};
}

void place_by_known_work(ObservedBoard& board, const std::vector<TimeSpan>& work) {
  if (work.empty()) return;
  for (ObservedSource& source : board.sources) {
    if (source.is_characterized || source.as_published.value_or(false)) continue;
    const auto seen = seen_late(source, work);
    if (!seen) continue;
    if (!seen->explains) {
      source.follows_work = false;
      continue;
    }
    source.delay += seen->later_s;
    source.time_constant = seen->time_constant;
    source.age_sd = numerics::quadrature({std::min(source.age_sd, source.period), seen->later_sd});
    if (seen->time_constant > 0) {
      source.lag_sd = seen->constant_sd;
      source.age_by_lag = 0.0;
    } else {
      source.lag_sd = std::min(source.lag_sd, seen->constant_sd);
    }
    const double shape = shape_sd(source);
    for (ObservedReading& reading : source.readings) {
      reading.time -= seen->later_s;
      const double own = reading.time_sd * reading.time_sd - source.blurred_sd * source.blurred_sd;
      reading.time_sd = numerics::quadrature({std::sqrt(std::max(0.0, own)), shape});
    }
    source.blurred_sd = shape;
  }
}

}  // namespace truewatt::energy
