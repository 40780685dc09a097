#include "truewatt/energy/estimate/quiet.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace truewatt::energy {
namespace {

constexpr double kShortestQuiet = 0.5;  // s
/// Of a baseline, the last so many seconds.
constexpr double kLongestBaseline = 2.0;
/// Quiet stays within so many watts, or so much of what the board can draw.
constexpr double kStaysWithin = 3.0;
constexpr double kStaysWithinShare = 0.015;
/// Quiet that is more above the lowest is work that does not change: watts, or of the range.
constexpr double kIdleAbove = 10.0;
constexpr double kIdleShare = 0.25;
/// A baseline further from its window than this is another time's.
constexpr double kNear = 5.0;  // s

double power_in(const EnergyCourse& course, const CourseWindow& window) {
  return course.mean_power(window.begin, window.end);
}

/// Stretches in which the power stays where it is, in order.
std::vector<CourseWindow> quiet_stretches(const EnergyCourse& course) {
  const CourseWindow span = course.span();
  const double step = std::max(0.05, course.cell_length());
  const double within = std::max(kStaysWithin, kStaysWithinShare * course.board().limit_w);
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
    const bool stays = open && upper - lower < within;
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

/// Quiet as low as the lowest, or hardly above it.
std::vector<CourseWindow> idle_of(const EnergyCourse& course,
                                  const std::vector<CourseWindow>& quiet) {
  if (quiet.empty()) return {};
  double lowest = power_in(course, quiet.front());
  for (const CourseWindow& one : quiet) lowest = std::min(lowest, power_in(course, one));
  const double highest = course.board().highest_w;
  const double most = lowest + std::max(kIdleAbove, kIdleShare * (highest - lowest));
  std::vector<CourseWindow> idle;
  for (const CourseWindow& one : quiet) {
    if (power_in(course, one) <= most) idle.push_back(one);
  }
  return idle;
}

}  // namespace

IdleStretches::IdleStretches(const EnergyCourse& course)
    : stretches_(idle_of(course, quiet_stretches(course))), by_power_(stretches_.size()) {
  std::vector<double> powers;
  for (const CourseWindow& one : stretches_) powers.push_back(power_in(course, one));
  std::iota(by_power_.begin(), by_power_.end(), std::size_t{0});
  std::stable_sort(by_power_.begin(), by_power_.end(),
                   [&powers](std::size_t a, std::size_t b) { return powers[a] < powers[b]; });
}

std::vector<CourseWindow> IdleStretches::baseline_of(const CourseWindow& window) const {
  std::optional<CourseWindow> before;
  std::optional<CourseWindow> after;
  auto near = std::lower_bound(stretches_.begin(), stretches_.end(), window.begin - kNear,
                               [](const CourseWindow& one, double t) { return one.end < t; });
  for (; near != stretches_.end() && near->begin < window.end + kNear; ++near) {
    CourseWindow early{near->begin, std::min(near->end, window.begin)};
    early.begin = std::max(early.begin, early.end - kLongestBaseline);
    if (early.end - early.begin >= kShortestQuiet / 2) before = early;
    CourseWindow late{std::max(near->begin, window.end), near->end};
    late.end = std::min(late.end, late.begin + kLongestBaseline);
    if (!after && late.end - late.begin >= kShortestQuiet / 2) after = late;
  }
  std::vector<CourseWindow> baseline;
  if (before) baseline.push_back(*before);
  if (after) baseline.push_back(*after);
  if (!baseline.empty()) return baseline;
  const auto lowest = std::find_if(by_power_.begin(), by_power_.end(), [&](std::size_t i) {
    return stretches_[i].end <= window.begin || stretches_[i].begin >= window.end;
  });
  if (lowest != by_power_.end()) baseline.push_back(stretches_[*lowest]);
  return baseline;
}

}  // namespace truewatt::energy
