// Known work in a course.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "truewatt/energy/course/course_impl.hpp"
#include "truewatt/energy/observe/look.hpp"

namespace truewatt::energy {
namespace {

/// Work that follows other work as soon as this, which launching takes, rises from that one's
/// level.
constexpr double kSeamless = 2e-4;  // s

/// The mean of exp(-t / time_constant) from `begin` to `end`.
double mean_decay(double time_constant, double begin, double end) {
  const double from = begin / time_constant;
  const double to = end / time_constant;
  if (!(to > from)) return std::exp(-from);
  return (std::exp(-from) - std::exp(-to)) / (to - from);
}

}  // namespace

void EnergyCourse::Impl::choose_remainder() {
  constexpr std::array kScales = {0.3, 3.0, 10.0};
  double best = smoother->log_likelihood();
  double best_scale = remainder_scale;
  for (const double scale : kScales) {
    remainder_scale = scale;
    fit_all();
    if (smoother->log_likelihood() <= best) continue;
    best = smoother->log_likelihood();
    best_scale = scale;
  }
  if (remainder_scale == best_scale) return;
  remainder_scale = best_scale;
  fit_all();
}

double EnergyCourse::Impl::remainder_variance(double time, double length) const {
  constexpr double kDrift = 0.001;      // of the range, every kDriftStep
  constexpr double kDriftStep = 0.02;   // s
  constexpr double kAtEdge = 0.02;      // of the range
  constexpr double kAfterBegin = 0.05;  // of the range, every kTransient
  constexpr double kTransient = 0.03;   // s
  constexpr double kWakes = 0.1;        // of the range, once, when the first work begins
  // Before work is known of, the board may have done anything at every step.
  if (time < hints.work_from) return square(range) * std::min(1.0, length / kDriftStep);
  double share = square(kDrift) * length / kDriftStep;
  const auto after =
      std::upper_bound(hints.work.begin(), hints.work.end(), time + 1e-6,
                       [](double t, const CourseHints::Work& work) { return t < work.begin; });
  if (after != hints.work.begin()) {
    const CourseHints::Work& last_begun = *std::prev(after);
    const double since = time - last_begun.begin;
    if (std::abs(since) < 1e-6 || std::abs(time - last_begun.end) < 1e-6) share += square(kAtEdge);
    share += square(kAfterBegin) * std::exp(-since / kTransient) * length / kTransient;
  }
  // A board that worked may idle higher than before, for a while.
  const bool wakes = std::abs(time - hints.work.front().begin) < 2e-5;
  return (share * square(remainder_scale) + (wakes ? square(kWakes) : 0.0)) * square(range);
}

std::vector<double> EnergyCourse::Impl::jumps_at_rest() const {
  constexpr double kFewPeriods = 2.0;
  std::vector<double> variance(cells.size(), 0.0);
  const double first = hints.work.front().begin;
  double end = hints.work.front().end;
  for (const CourseHints::Work& work : hints.work) end = std::max(end, work.end);
  for (const ObservedSource& source : board.sources) {
    // How long a source remembers work must be known.
    const bool is_known = source.is_characterized || source.as_published.value_or(false);
    // A mean over many periods does not tell when it stepped.
    const bool tells_when = source.window < kFewPeriods * source.period;
    if (source.look == Look::counter || !is_known || !tells_when) continue;
    const double memory = source.window + kForgotten * source.time_constant;
    std::vector<const ObservedReading*> early;
    std::vector<const ObservedReading*> late;
    for (const ObservedReading& reading : source.readings) {
      if (reading.span > 0) continue;
      if (reading.time <= first) early.push_back(&reading);
      if (reading.time - memory >= end) late.push_back(&reading);
    }
    const Jump woke = one_step(source, early);
    Jump slept = one_step(source, late);
    const bool is_below = early.empty() || slept.to_w < early.back()->value;
    if (!is_below) slept = {};
    for (const Jump& jump : {woke, slept}) {
      if (!(jump.variance > 0)) continue;
      const std::size_t from = cell_at(jump.from);
      const std::size_t until = std::max(from + 1, cell_at(jump.until) + 1);
      for (std::size_t c = from; c < until; ++c) {
        const bool is_idle = cells[c].end <= first + 1e-9 || cells[c].begin >= end - 1e-9;
        if (!is_idle) continue;
        variance[c] = std::max(variance[c], jump.variance / static_cast<double>(until - from));
      }
    }
  }
  return variance;
}

EnergyCourse::Impl::Jump EnergyCourse::Impl::one_step(
    const ObservedSource& source, const std::vector<const ObservedReading*>& readings) const {
  constexpr double kSure = 2.0;  // standard deviations of a reading
  const double scatter = std::max(source.scatter, least_scatter(source));
  const auto by_value = [](const ObservedReading* a, const ObservedReading* b) {
    return a->value < b->value;
  };
  Jump step;
  auto behind = readings.end();
  for (auto after = readings.begin(); after != readings.end(); ++after) {
    if (after == readings.begin()) continue;
    const ObservedReading& earlier = **std::prev(after);
    const double shown =
        shown_of_step(source.window, source.time_constant, (*after)->time - earlier.time);
    const double jump = std::min(range, std::abs((*after)->value - earlier.value) / shown);
    const double variance = square(jump) - 2 * square(kSure * scatter / shown);
    if (!(variance > step.variance)) continue;
    behind = after;
    step = {earlier.time - source.window, (*after)->time, variance};
  }
  if (behind == readings.end()) return {};
  const auto [low, high] = std::minmax_element(readings.begin(), behind, by_value);
  const auto [next_low, next_high] = std::minmax_element(behind, readings.end(), by_value);
  step.to_w = (*next_high)->value;
  const bool parts = (*high)->value < (*next_low)->value || step.to_w < (*low)->value;
  return parts ? step : Jump{};
}

std::vector<double> EnergyCourse::Impl::activity_by_step(std::size_t kind) const {
  std::vector<double> activity(smoother->steps(), 0.0);
  for (std::size_t i = 0; i < activity.size(); ++i) {
    for (const Share& share : shares_of(i)) {
      if (share.kind == kind) activity[i] += share.of_step;
    }
  }
  return activity;
}

double EnergyCourse::Impl::rise_after(const CourseHints::Work* before,
                                      const CourseHints::Work& piece) const {
  if (before == nullptr || piece.begin - before->end >= kSeamless) return 1.0;
  const double level = shape[piece.kind];
  if (!(level > 0)) return 0.0;
  return std::clamp(1 - shape[before->kind] / level, 0.0, 1.0);
}

void EnergyCourse::Impl::share_steps(const std::vector<Step>& steps) {
  std::vector<std::pair<std::size_t, Share>> found;
  first_share.assign(steps.size() + 1, 0);
  const CourseHints::Work* before = nullptr;
  for (const CourseHints::Work& piece : pieces) {
    const double rises_by = decays() > 0 ? rise_after(before, piece) : 0.0;
    if (before == nullptr || piece.end > before->end) before = &piece;
    for (std::size_t i = step_at(piece.begin); i < steps.size() && step_times[i] < piece.end; ++i) {
      const double length = steps[i].length;
      const double inside =
          std::min(piece.end, step_times[i] + length) - std::max(piece.begin, step_times[i]);
      const double of_step = length > 0 ? std::clamp(inside / length, 0.0, 1.0) : 1.0;
      if (!(of_step > 0)) continue;
      found.push_back({i, {piece.kind, of_step}});
      ++first_share[i + 1];
      const double from = std::max(0.0, step_times[i] - piece.begin);
      const double to = std::min(piece.end, step_times[i] + length) - piece.begin;
      const std::size_t of_kind = found.size() - 1;
      for (std::size_t d = 0; d < decays(); ++d) {
        const double left = rises_by * of_step * mean_decay(board.rise[d].time_constant, from, to);
        found[of_kind].second.of_step -= (board.rise[d].share - shape[kinds + d]) * left;
        found.push_back({i, {kinds + d, shape[piece.kind] * left}});
        ++first_share[i + 1];
      }
    }
  }
  std::partial_sum(first_share.begin(), first_share.end(), first_share.begin());
  std::vector<std::size_t> next(first_share.begin(), first_share.end() - 1);
  work_shares.resize(found.size());
  for (const auto& [step, share] : found) work_shares[next[step]++] = share;
}

double EnergyCourse::share_of_work(const CourseWindow& window) const {
  const Impl& of = *impl_;
  double joules = 0.0;
  for (std::size_t i = of.step_at(window.begin); i <= of.step_at(window.end); ++i) {
    const double begin = std::max(of.step_times[i], window.begin);
    const double end = std::min(of.step_times[i] + of.smoother->length(i), window.end);
    joules += of.work_of(i) * std::max(0.0, end - begin);
  }
  const double length = window.end - window.begin;
  const double above = (of.mean_power(window.begin, window.end) - of.board.lowest_w) * length;
  return above > 0 ? joules / above : 0.0;
}

}  // namespace truewatt::energy
