#include "truewatt/energy/observe/known_spans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "truewatt/energy/observe/observed_source.hpp"
#include "truewatt/numerics/quadrature.hpp"

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
};

/// What leaves at most so many times as much as the best is as good.
constexpr double kNearly = 1.5;

Shift best_shift(const std::vector<Mean>& means, const FilteredWork& work, double earliest,
                 double step) {
  std::vector<Shift> tried;
  for (double late = earliest; late <= kLatest; late += step) {
    tried.push_back({late, left_by(means, work, late)});
  }
  const auto less = [](const Shift& a, const Shift& b) { return a.left < b.left; };
  Shift best = *std::min_element(tried.begin(), tried.end(), less);
  for (double finer = step / 2; finer > step / 100; finer /= 2) {
    for (const double late : {best.late - finer, best.late + finer}) {
      const Shift other{late, left_by(means, work, late)};
      if (late >= earliest && less(other, best)) best = other;
    }
  }
  double from = best.late;
  double to = best.late;
  for (const Shift& other : tried) {
    if (other.left > kNearly * best.left) continue;
    from = std::min(from, other.late);
    to = std::max(to, other.late);
  }
  best.spread = std::max(to - from, step / 10);
  return best;
}

}  // namespace

std::optional<SeenLate> seen_late(const ObservedSource& source, const std::vector<TimeSpan>& work) {
  constexpr std::size_t kFewest = 10;
  constexpr double kBetter = 12.0;   // twice the logarithm of the likelihood
  constexpr double kFiltered = 0.5;  // of what is left without
  constexpr double kFinest = 5e-3;   // s
  constexpr double kBeyond = 2.0;    // standard uncertainties
  constexpr double kOpen = 0.1;      // s
  constexpr double kPeriods = 2.0;
  constexpr double kSteps = 8.0;
  constexpr std::array kConstants = {0.0,  0.01, 0.02, 0.04, 0.07, 0.1,
                                     0.15, 0.22, 0.33, 0.5,  0.8,  1.2};
  const std::vector<Mean> means = means_near(source, FilteredWork(work, 0.0));
  if (means.size() < kFewest) return std::nullopt;
  const double now = left_by(means, FilteredWork(work, source.time_constant), 0.0);
  const double step = std::max(kFinest, source.period / 5);
  // No reading shows what comes after it.
  const double earliest = std::min(0.0, -source.delay);
  const auto with = [&](double constant) {
    return best_shift(means, FilteredWork(work, constant), earliest, step);
  };
  const Shift unfiltered = with(0.0);
  Shift best = unfiltered;
  double constant = 0.0;
  double near_from = 0.0;
  double near_to = 0.0;
  for (const double tried : kConstants) {
    const Shift shift = tried > 0 ? with(tried) : unfiltered;
    if (shift.left < best.left) {
      best = shift;
      constant = tried;
    }
  }
  const auto is_better = [&](double left, double than) {
    return static_cast<double>(means.size()) * std::log(than / std::max(left, 1e-12)) > kBetter;
  };
  // A board that rises slowly looks like a filter, and less so when it falls.
  const bool is_filter =
      best.left < kFiltered * unfiltered.left && is_better(best.left, unfiltered.left);
  if (constant > 0 && !is_filter) {
    best = unfiltered;
    constant = 0.0;
  }
  if (constant > 0) {
    near_from = near_to = constant;
    for (double factor = 1.2; factor > 1.002; factor = std::sqrt(factor)) {
      for (const double tried : {constant / factor, constant * factor}) {
        const Shift shift = with(tried);
        if (shift.left < best.left) {
          best = shift;
          constant = tried;
        }
      }
    }
    near_from = near_to = constant;
    for (double factor = 1.01; factor < 1.6; factor *= 1.03) {
      if (with(constant / factor).left < kNearly * best.left) near_from = constant / factor;
      if (with(constant * factor).left < kNearly * best.left) near_to = constant * factor;
    }
  }
  const bool is_told = best.spread < std::max(kPeriods * source.period, kSteps * step);
  // What is assumed is what boards have, unless it leaves nearly everything open.
  const bool is_as_assumed =
      source.lag_sd < kOpen && std::abs(best.late) < kBeyond * source.age_sd &&
      std::abs(constant - source.time_constant) < kBeyond * source.lag_sd + kFinest;
  if (!is_told || is_as_assumed || !is_better(best.left, now)) return std::nullopt;
  const double uniform = std::sqrt(3.0);
  return SeenLate{.later_s = best.late,
                  .later_sd = best.spread / 2 / uniform,
                  .time_constant = constant,
                  .constant_sd = std::max((near_to - near_from) / 2, 0.05 * constant) / uniform};
}

void place_by_known_work(ObservedBoard& board, const std::vector<TimeSpan>& work) {
  if (work.empty()) return;
  for (ObservedSource& source : board.sources) {
    if (source.is_characterized || source.as_published.value_or(false)) continue;
    const auto seen = seen_late(source, work);
    if (!seen) continue;
    source.delay += seen->later_s;
    source.time_constant = seen->time_constant;
    source.age_sd = numerics::quadrature({std::min(source.age_sd, source.period), seen->later_sd});
    if (seen->time_constant > 0) {
      source.lag_sd = seen->constant_sd;
      source.age_by_lag = 0.0;
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
