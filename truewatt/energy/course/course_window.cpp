// Windows of a course and their budgets.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "truewatt/energy/course/course_impl.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {

using uncertainty::Cause;

namespace {

/// What readings are off by in all of a window alike, of what it holds above the lowest power.
constexpr double kOfModel = 0.0005;

/// By edge of the windows that count: by how much the weight changes there.
std::map<double, double> changes_by_edge(std::span<const CourseWindow> windows,
                                         std::span<const double> weights, const auto& counts) {
  std::map<double, double> changes;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    if (!counts(windows[w])) continue;
    changes[windows[w].begin] += weights[w];
    changes[windows[w].end] -= weights[w];
  }
  return changes;
}

}  // namespace

CourseEnergy with_terms(CourseEnergy of, std::span<const uncertainty::Term> terms) {
  for (const uncertainty::Term& term : terms) {
    if (!(term.u > 0)) continue;
    const auto same = std::find_if(of.budget.begin(), of.budget.end(),
                                   [&term](const auto& one) { return one.cause == term.cause; });
    if (same != of.budget.end()) {
      same->u = numerics::quadrature({same->u, term.u});
    } else {
      of.budget.push_back(term);
    }
    of.standard_uncertainty = numerics::quadrature({of.standard_uncertainty, term.u});
  }
  return of;
}

std::vector<std::vector<EnergyCourse::Impl::WeightedWindow>> EnergyCourse::Impl::clusters_of(
    std::span<const CourseWindow> windows, std::span<const double> weights) const {
  constexpr std::size_t kApart = 200;  // readings, behind which nothing is left of an error
  std::vector<WeightedWindow> sorted;
  for (std::size_t i = 0; i < windows.size(); ++i) sorted.push_back({windows[i], weights[i]});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.window.begin < b.window.begin; });
  std::vector<std::vector<WeightedWindow>> clusters;
  std::size_t until = 0;  // of the last one: readings up to its end
  for (const WeightedWindow& one : sorted) {
    const std::size_t from = smoother->next_reading(step_at(one.window.begin));
    if (clusters.empty() || from > until + kApart) clusters.emplace_back();
    clusters.back().push_back(one);
    until = std::max(until, smoother->next_reading(step_at(one.window.end)));
  }
  return clusters;
}

Functional EnergyCourse::Impl::functional_of(const std::vector<WeightedWindow>& cluster) const {
  Functional functional;
  double end = cluster.front().window.end;
  for (const WeightedWindow& one : cluster) end = std::max(end, one.window.end);
  functional.first = step_at(cluster.front().window.begin);
  functional.weights.assign(step_at(end) - functional.first + 1, 0.0);
  for (const auto& [window, weight] : cluster) {
    const std::size_t last_step = step_at(window.end);
    for (std::size_t i = step_at(window.begin); i <= last_step; ++i) {
      const double length = smoother->length(i);
      if (!(length > 0)) continue;
      const double from = std::max(window.begin, step_times[i]);
      const double to = std::min(window.end, step_times[i] + length);
      if (to > from) functional.weights[i - functional.first] += weight * (to - from) / length;
    }
  }
  return functional;
}

void EnergyCourse::Impl::add_errors(const std::vector<WeightedWindow>& cluster,
                                    Errors& errors) const {
  const Functional functional = functional_of(cluster);
  const FunctionalError error = smoother->error_of(functional);
  errors.variance += error.variance;
  std::vector<double> next_weight(board.sources.size(), 0.0);
  for (std::size_t n = error.weights.size(); n-- > 0;) {
    const Place& place = places[error.first_reading + n];
    if (place.source == kBoundSource) continue;
    double weight = error.weights[n];
    if (board.sources[place.source].look == Look::counter) {
      // A count's noise is in what was counted up to it and from it on.
      const double own = weight;
      weight -= next_weight[place.source];
      next_weight[place.source] = own;
    }
    const Noise& of = noise[place.source][place.reading];
    errors.shares.scatter += square(weight) * of.scatter;
    errors.shares.ticks += square(weight) * of.ticks;
    errors.shares.model += square(weight) * of.model;
  }
  for (std::size_t k = 0; k < functional.weights.size(); ++k) {
    const std::size_t step = functional.first + k;
    const double seconds = functional.weights[k] * smoother->length(step);
    const float* response = responses.data() + step * nuisances.size();
    for (std::size_t i = 0; i < nuisances.size(); ++i) {
      errors.by_nuisance(static_cast<Eigen::Index>(i)) -= seconds * response[i];
    }
    for (const Share& share : shares_of(step)) {
      errors.by_nuisance(static_cast<Eigen::Index>(first_work + share.kind)) +=
          seconds * share.of_step;
    }
  }
}

CourseEnergy EnergyCourse::Impl::weighted(std::span<const CourseWindow> windows,
                                          std::span<const double> weights) const {
  CourseEnergy result;
  double dynamic_j = 0.0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const CourseWindow& window = windows[w];
    const double joules = energy_at(window.end) - energy_at(window.begin);
    result.joules += weights[w] * joules;
    dynamic_j += weights[w] * (joules - board.lowest_w * (window.end - window.begin));
  }
  // Errors far from each other have nothing in common but the nuisances.
  Errors errors{.by_nuisance = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(nuisances.size()))};
  for (const auto& cluster : clusters_of(windows, weights)) add_errors(cluster, errors);
  const auto& [error_variance, by_nuisance, shares] = errors;
  std::map<Cause, double> by_cause;
  if (!nuisances.empty()) {
    const Eigen::VectorXd with = nuisance_covariance * by_nuisance;
    for (std::size_t i = 0; i < nuisances.size(); ++i) {
      by_cause[cause_of(nuisances[i].kind)] += by_nuisance(i) * with(i);
    }
  }
  const auto add = [&result](Cause cause, double variance) {
    if (variance > 0) result.budget.push_back({cause, std::sqrt(variance)});
  };
  add(Cause::repeatability, shares.scatter);
  add(Cause::tick_brackets, shares.ticks + drift_variance(windows, weights));
  double unobserved = std::max(0.0, error_variance - shares.scatter - shares.ticks - shares.model);
  const bool is_short = windows.size() == 1 && hides_place(windows.front(), result);
  if (!is_short) unobserved += edge_variance(windows, weights, unobserved);
  add(Cause::unobserved, unobserved);
  add(Cause::quantum, quantum_variance(windows, weights));
  for (const auto& [cause, variance] : by_cause) add(cause, variance);
  add(Cause::model, shares.model + square(kOfModel * dynamic_j));
  double variance = 0.0;
  for (const auto& term : result.budget) variance += square(term.u);
  if (misfit_of_all > 1 && variance > 0) {
    add(Cause::misfit, (misfit_of_all - 1) * variance);
    variance *= misfit_of_all;
  }
  result.standard_uncertainty = std::sqrt(variance);
  return result;
}

double EnergyCourse::Impl::drift_variance(std::span<const CourseWindow> windows,
                                          std::span<const double> weights) const {
  double drift = 0.0;
  for (const ObservedSource& source : board.sources) drift = std::max(drift, source.drift_sd);
  if (!(drift > 0)) return 0.0;
  double variance = 0.0;
  const auto all = [](const CourseWindow&) { return true; };
  for (const auto& [edge, change] : changes_by_edge(windows, weights, all)) {
    const double before = mean_power(edge - period, edge);
    const double behind = mean_power(edge, edge + period);
    variance += square(change * drift) * (square(before) + square(behind)) / 2;
  }
  return variance;
}

double EnergyCourse::Impl::edge_variance(std::span<const CourseWindow> windows,
                                         std::span<const double> weights, double unobserved) const {
  constexpr double kOpen = 0.7;
  constexpr double kSplits = 3.0;
  constexpr double kNothing = 0.05;  // of what is not observed anyway
  if (kinds > 0) return 0.0;
  const auto changes = changes_by_edge(
      windows, weights, [this](const CourseWindow& one) { return !is_in_train(one); });
  // Bursts that begin and end with their windows err at all edges the same way. An edge that nobody
  // set lies anywhere in them: where the look is known, what the smoother leaves open holds.
  const bool look_is_known = board.sources[fastest_source].is_characterized;
  const auto is_set = [this](double edge) {
    return std::binary_search(hints.marks.begin(), hints.marks.end(), edge);
  };
  std::map<double, double> open;  // J, by edge
  double most = 0.0;
  for (const auto& [edge, change] : changes) {
    if (change == 0.0 || (look_is_known && !is_set(edge))) continue;
    const double joules = kOpen * std::abs(change) * open_at(edge);
    if (joules > 0) open.emplace(edge, joules);
    most += joules;
  }
  if (square(most) < kNothing * unobserved) return square(most);
  double together = 0.0;
  for (const auto& [edge, joules] : open) {
    together += std::min(joules, kSplits * std::abs(changes.at(edge)) * split_sd(edge));
  }
  return square(together);
}

/// How well it is known on which side of an edge the energy of the two cells about it was drawn, J.
double EnergyCourse::Impl::split_sd(double edge) const {
  const std::vector<WeightedWindow> halves{{{edge - period, edge}, 0.5},
                                           {{edge, edge + period}, -0.5}};
  return std::sqrt(smoother->variance_of(functional_of(halves)));
}

namespace {

/// W^2 (J^2 of a counter), of rounding that readings at steady power have in common: where they
/// scatter by more than a step it averages out (Widrow, Kollar 2008, Quantization Noise, ch. 9).
double rounding_variance(const ObservedSource& source) {
  const double q = source.quantum;
  const double of_steps = q * q / 12;
  if (source.look == Look::counter || !(q > 0)) return of_steps;
  const double scatter = std::max(0.0, source.scatter * source.scatter - of_steps);
  const double dithered = 2 * std::numbers::pi * std::numbers::pi * scatter / (q * q);
  return of_steps * std::exp(-2 * dithered);
}

}  // namespace

double EnergyCourse::Impl::quantum_variance(std::span<const CourseWindow> windows,
                                            std::span<const double> weights) const {
  std::vector<std::size_t> order(windows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return windows[a].begin < windows[b].begin;
  });
  double least = std::numeric_limits<double>::infinity();
  for (const ObservedSource& source : board.sources) {
    double squares = 0.0;  // s^2; of a counter a number
    double alike = 0.0;    // s, weighted, of readings in a row
    const std::vector<ObservedReading>& readings = source.readings;
    std::size_t before = readings.size();
    for (const std::size_t w : order) {
      const CourseWindow& window = windows[w];
      if (source.look == Look::counter) {
        squares += 2 * square(weights[w]);
        continue;
      }
      auto next = std::upper_bound(
          readings.begin(), readings.end(), window.begin,
          [](double time, const ObservedReading& reading) { return time < reading.time; });
      double begin = window.begin;
      for (; next != readings.end() && begin < window.end; ++next) {
        const auto i = static_cast<std::size_t>(next - readings.begin());
        const bool goes_on = before < readings.size() && i <= before + 1 &&
                             readings[i].value == readings[before].value;
        if (!goes_on) squares += square(std::exchange(alike, 0.0));
        const double end = std::min(window.end, readings[i].time);
        alike += weights[w] * (end - begin);
        begin = end;
        before = i;
      }
    }
    least = std::min(least, rounding_variance(source) * (squares + square(alike)));
  }
  return std::isfinite(least) ? least : 0.0;
}

/// What may lie on the other side of a window's edge than the course has it, J: the smaller of what
/// it holds near the edge, on either side, above the level further away; near is what makes most of
/// one to four cells.
double EnergyCourse::Impl::open_at(double edge) const {
  constexpr double kFurther = 3.0;
  const auto above = [&](double near, double far) {
    const double close = mean_power(std::min(edge, near), std::max(edge, near));
    const double level = mean_power(std::min(near, far), std::max(near, far));
    return (close - level) * std::abs(near - edge);
  };
  double most = 0.0;
  for (const double cells_near : {1.0, 2.0, 4.0}) {
    const double near = cells_near * period;
    const double before = above(edge - near, edge - kFurther * near);
    const double behind = above(edge + near, edge + kFurther * near);
    most = std::max(most, std::min(before, behind));
  }
  return most;
}

/// Time constant of the filter that the fastest source may be behind, s; 0 where one is known.
double EnergyCourse::Impl::shortest_memory() const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const ObservedSource& source : board.sources) {
    const double memory = source.is_characterized ? 0.0 : source.time_constant + 2 * source.lag_sd;
    shortest = std::min(shortest, memory);
  }
  return shortest;
}

/// Of a window of little more than a period the energy of its cells is known, not where in them it
/// was drawn: between the least and the most of it that the window can hold.
bool EnergyCourse::Impl::hides_place(const CourseWindow& window, CourseEnergy& energy) const {
  constexpr double kShort = 1.5;     // periods
  constexpr double kContrast = 8.0;  // W
  const double length = window.end - window.begin;
  if (pieces.empty() && length < shortest_memory()) energy.below_resolution = true;
  if (length > kShort * period || is_in_train(window)) return false;
  const std::size_t from = cell_at(window.begin);
  const std::size_t to = cell_at(window.end);
  const double whole = cells[to].end - cells[from].begin;
  const double above = mean_power(cells[from].begin, cells[to].end) - board.lowest_w;
  double amplitude = 0.0;
  for (std::size_t i = from; i <= to; ++i) amplitude = std::max(amplitude, amplitudes[i]);
  if (amplitude < kContrast || !(above > 0)) return false;
  const double most = std::min(above * whole, amplitude * length);
  const double least = std::max(0.0, above * whole - amplitude * (whole - length));
  energy.below_resolution |= most - least > 0.1 * energy.joules;
  return most > least;
}

}  // namespace truewatt::energy
