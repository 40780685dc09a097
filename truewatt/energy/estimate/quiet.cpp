#include "truewatt/energy/estimate/quiet.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {
namespace {

constexpr double kShortestQuiet = 0.5;  // s
/// Of a baseline, the last so many seconds.
constexpr double kLongestBaseline = 2.0;
/// Quiet stays within so many watts and so much of its level.
constexpr double kStaysWithin = 3.0;
constexpr double kStaysWithinShare = 0.02;
/// Quiet above this share of the board's range is work that does not change.
constexpr double kIdleShare = 0.25;
/// A baseline further from its window than this is another time's.
constexpr double kNear = 5.0;  // s

bool is_idle(const EnergyCourse& course, const CourseWindow& quiet) {
  const ObservedBoard& board = course.board();
  const double above = course.mean_power(quiet.begin, quiet.end) - board.lowest_w;
  return above < kIdleShare * (board.limit_w / 1.5 - board.lowest_w) || above < 2 * kStaysWithin;
}

}  // namespace

std::vector<CourseWindow> quiet_stretches(const EnergyCourse& course) {
  const CourseWindow span = course.span();
  const double step = std::max(0.05, course.cell_length());
  std::vector<CourseWindow> quiet;
  CourseWindow current{span.begin, span.begin};
  double low = 0.0;
  double high = 0.0;
  const auto finish = [&] {
    if (current.end - current.begin >= kShortestQuiet) quiet.push_back(current);
  };
  bool open = false;
  for (double t = span.begin; t + step <= span.end; t += step) {
    const double power = course.mean_power(t, t + step);
    const double lower = std::min(low, power);
    const double upper = std::max(high, power);
    const bool stays = open && upper - lower < kStaysWithin + kStaysWithinShare * lower;
    if (stays) {
      low = lower;
      high = upper;
      current.end = t + step;
      continue;
    }
    if (open) finish();
    current = {t, t + step};
    low = high = power;
    open = true;
  }
  if (open) finish();
  return quiet;
}

std::optional<CourseWindow> baseline_of(const EnergyCourse& course,
                                        const std::vector<CourseWindow>& quiet,
                                        const CourseWindow& window) {
  const auto cut = [](CourseWindow one, double until) {
    one.end = std::min(one.end, until);
    one.begin = std::max(one.begin, one.end - kLongestBaseline);
    return one;
  };
  std::optional<CourseWindow> before;
  std::optional<CourseWindow> lowest;
  for (const CourseWindow& one : quiet) {
    if (!is_idle(course, one)) continue;
    const bool begins_before = window.begin - one.begin >= kShortestQuiet / 2;
    if (begins_before && window.begin - one.end < kNear) before = cut(one, window.begin);
    const auto power = [&](const CourseWindow& w) { return course.mean_power(w.begin, w.end); };
    if (!lowest || power(one) < power(*lowest)) lowest = cut(one, one.end);
  }
  return before ? before : lowest;
}

std::optional<CourseWindow> quiet_after(const std::vector<CourseWindow>& quiet,
                                        const CourseWindow& window) {
  constexpr double kSettles = 1.0;
  for (CourseWindow one : quiet) {
    if (one.end < window.end + kShortestQuiet / 2) continue;
    if (one.begin > window.end + kSettles) break;
    one.begin = std::max(one.begin, window.end);
    one.end = std::min(one.end, one.begin + kLongestBaseline);
    return one;
  }
  return std::nullopt;
}

}  // namespace truewatt::energy
