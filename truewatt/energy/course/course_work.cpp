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
  return share * square(remainder_scale * range);
}

std::vector<double> EnergyCourse::Impl::jumps_at_rest() const {
  constexpr double kSure = 2.0;    // standard deviations of a reading
  std::vector<double> busy_until;  // by work: the latest end so far
  for (const CourseHints::Work& work : hints.work) {
    busy_until.push_back(std::max(busy_until.empty() ? work.end : busy_until.back(), work.end));
  }
  const auto is_busy = [&](double begin, double end) {
    const auto after =
        std::lower_bound(hints.work.begin(), hints.work.end(), end,
                         [](const CourseHints::Work& work, double t) { return work.begin < t; });
    return after != hints.work.begin() && busy_until[after - hints.work.begin() - 1] > begin;
  };
  std::vector<double> variance(cells.size(), 0.0);
  for (const ObservedSource& source : board.sources) {
    // How long a source remembers work must be known.
    const bool is_known = source.is_characterized || source.as_published.value_or(false);
    if (source.look == Look::counter || !is_known) continue;
    const double memory = source.window + kForgotten * source.time_constant;
    const double scatter = std::max(source.scatter, least_scatter(source));
    const ObservedReading* before = nullptr;
    for (const ObservedReading& reading : source.readings) {
      if (reading.span > 0 || is_busy(reading.time - memory, reading.time)) continue;
      if (before != nullptr) {
        const double shown =
            shown_of_step(source.window, source.time_constant, reading.time - before->time);
        const double jump = std::min(range, std::abs(reading.value - before->value) / shown);
        const double by_jump = square(jump) - 2 * square(kSure * scatter / shown);
        const double from = before->time - source.window;
        std::vector<std::size_t> within;
        for (std::size_t c = cell_at(from); by_jump > 0 && c < cells.size(); ++c) {
          if (cells[c].begin >= reading.time) break;
          if (!is_busy(cells[c].begin, cells[c].end)) within.push_back(c);
        }
        for (const std::size_t c : within) {
          variance[c] = std::max(variance[c], by_jump / static_cast<double>(within.size()));
        }
      }
      before = &reading;
    }
  }
  return variance;
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

double EnergyCourse::Impl::lack(double since, double begin, double end) const {
  const double from = (begin - since) / board.rise_s;
  const double to = (end - since) / board.rise_s;
  if (!(to > from)) return std::exp(-from);
  return (std::exp(-from) - std::exp(-to)) / (to - from);
}

void EnergyCourse::Impl::expect_rise() {
  if (!rises()) return;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const double level = nuisances[first_work + kind].value;
    nuisances[first_work + kinds + kind].sd = kLacksSd * (level > 0 ? level : range);
  }
}

double EnergyCourse::Impl::rise_after(const CourseHints::Work* before,
                                      const CourseHints::Work& piece) const {
  if (before == nullptr || piece.begin - before->end >= kSeamless) return 1.0;
  const double level = shape_levels[piece.kind];
  if (!(level > 0)) return 0.0;
  return std::clamp(1 - shape_levels[before->kind] / level, 0.0, 1.0);
}

void EnergyCourse::Impl::share_steps(const std::vector<Step>& steps) {
  std::vector<std::pair<std::size_t, Share>> found;
  first_share.assign(steps.size() + 1, 0);
  const CourseHints::Work* before = nullptr;
  for (const CourseHints::Work& piece : pieces) {
    const double rises_by = rises() ? rise_after(before, piece) : 0.0;
    if (before == nullptr || piece.end > before->end) before = &piece;
    for (std::size_t i = step_at(piece.begin); i < steps.size() && step_times[i] < piece.end; ++i) {
      const double length = steps[i].length;
      const double inside =
          std::min(piece.end, step_times[i] + length) - std::max(piece.begin, step_times[i]);
      const double of_step = length > 0 ? std::clamp(inside / length, 0.0, 1.0) : 1.0;
      if (!(of_step > 0)) continue;
      found.push_back({i, {piece.kind, of_step}});
      ++first_share[i + 1];
      if (!(rises_by > 0)) continue;
      const double from = std::max(piece.begin, step_times[i]);
      const double to = std::min(piece.end, step_times[i] + length);
      const double lacking = rises_by * of_step * lack(piece.begin, from, to);
      found.back().second.of_step -= kLacks * lacking;
      found.push_back({i, {kinds + piece.kind, lacking}});
      ++first_share[i + 1];
    }
  }
  std::partial_sum(first_share.begin(), first_share.end(), first_share.begin());
  std::vector<std::size_t> next(first_share.begin(), first_share.end() - 1);
  work_shares.resize(found.size());
  for (const auto& [step, share] : found) work_shares[next[step]++] = share;
}

}  // namespace truewatt::energy
