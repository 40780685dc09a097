// Known work in a course.

#include <algorithm>
#include <array>
#include <cmath>

#include "truewatt/energy/course/course_impl.hpp"

namespace truewatt::energy {

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

std::vector<double> EnergyCourse::Impl::activity_by_step(std::size_t kind, std::size_t first,
                                                         std::size_t count) const {
  std::vector<double> activity(count, 0.0);
  const std::size_t end = first + count;
  const double begin_time = step_times[first];
  const double end_time = step_times[end - 1] + smoother->step(end - 1).length;
  for (const CourseHints::Work& work : hints.work) {
    if (work.begin > end_time) break;
    if (work.kind != kind || work.end < begin_time) continue;
    for (std::size_t i = std::max(first, step_at(work.begin)); i < end && step_times[i] < work.end;
         ++i) {
      const double length = smoother->step(i).length;
      if (!(length > 0)) {
        activity[i - first] = 1.0;
        continue;
      }
      const double inside =
          std::min(work.end, step_times[i] + length) - std::max(work.begin, step_times[i]);
      activity[i - first] += std::clamp(inside / length, 0.0, 1.0);
    }
  }
  return activity;
}

}  // namespace truewatt::energy
