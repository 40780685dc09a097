#include "truewatt/energy/estimate/quiet.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace truewatt::energy {
namespace {

constexpr double kShortestQuiet = 0.5;  // s
constexpr double kReadings = 2.5;
/// Of a baseline, the last so many seconds, or so many readings where that is longer.
constexpr double kLongestBaseline = 2.0;
constexpr double kReadingsOfBaseline = 10.0;
/// On which side of a reading next to it the power rose or fell is open: of quiet up to so much is
/// left out at either end.
constexpr double kOpenShare = 0.25;
/// Quiet stays within so many watts, or so much of what the board can draw.
constexpr double kStaysWithin = 3.0;
constexpr double kStaysWithinShare = 0.015;
/// Quiet that is more above the lowest is work that does not change: watts, or of the range.
constexpr double kIdleAbove = 10.0;
constexpr double kIdleShare = 0.25;
/// ... but up to here it may be a context's idle over a board that slept.
constexpr double kPerhapsIdleShare = 0.5;
/// No GPU idles at more watts (a B300 with a context at 198), whatever a recording's lowest is.
constexpr double kNoIdle = 300.0;
/// A baseline further from its window than this is another time's.
constexpr double kNear = 5.0;  // s

double power_in(const EnergyCourse& course, const CourseWindow& window) {
  return course.mean_power(window.begin, window.end);
}

double tolerance(const EnergyCourse& course) {
  return std::max(kStaysWithin, kStaysWithinShare * course.board().limit_w);
}

/// From when the first reading was seen to the last: before that and behind it filters alone tell
/// of the power.
CourseWindow span_of_readings(const EnergyCourse& course) {
  CourseWindow span{course.span().end, course.span().begin};
  for (const ObservedSource& source : course.board().sources) {
    const ObservedReading& first = source.readings.front();
    span.begin = std::min(span.begin, first.time + std::sqrt(3.0) * first.time_sd);
    span.end = std::max(span.end, source.readings.back().time);
  }
  return span;
}

/// Stretches that were read, within the readings; a log may leave out years.
std::vector<CourseWindow> read_stretches(const EnergyCourse& course) {
  const CourseWindow span = span_of_readings(course);
  if (course.board().read.empty()) return {span};
  std::vector<CourseWindow> stretches;
  for (const TimeSpan& read : course.board().read) {
    const CourseWindow one{std::max(span.begin, read.begin), std::min(span.end, read.end)};
    if (one.end > one.begin) stretches.push_back(one);
  }
  return stretches;
}

/// Stretches in which the power stays where it is, in order.
std::vector<CourseWindow> quiet_stretches(const EnergyCourse& course) {
  const std::vector<CourseWindow> spans = read_stretches(course);
  // Of a source that is hardly read at all, no more looks than readings tell of.
  constexpr double kLooks = 8.0;
  constexpr double kFewest = 1000.0;
  double length = 0.0;
  double looks = kFewest;
  for (const CourseWindow& span : spans) length += span.end - span.begin;
  for (const ObservedSource& source : course.board().sources) {
    looks += kLooks * static_cast<double>(source.readings.size());
  }
  const double step = std::max({0.05, course.cell_length(), length / looks});
  const double within = tolerance(course);
  std::vector<CourseWindow> quiet;
  CourseWindow current;
  double low = 0.0;
  double high = 0.0;
  // One reading is as steady as any.
  const auto finish = [&] {
    const double lasted = current.end - current.begin;
    if (lasted < kShortestQuiet || lasted < kReadings * course.cell_length()) return;
    if (lasted >= kReadings * course.longest_cell(current)) quiet.push_back(current);
  };
  for (const CourseWindow& span : spans) {
    bool open = false;
    for (double t = span.begin; t + step <= span.end; t += step) {
      const double power = course.mean_power(t, t + step);
      const double lower = std::min(low, power);
      const double upper = std::max(high, power);
      if (open && upper - lower < within) {
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
  }
  return quiet;
}

/// Quiet as low as the lowest, or above it by this share of the range at most.
std::vector<CourseWindow> idle_of(const EnergyCourse& course,
                                  const std::vector<CourseWindow>& quiet, double share_above) {
  if (quiet.empty()) return {};
  double lowest = power_in(course, quiet.front());
  for (const CourseWindow& one : quiet) lowest = std::min(lowest, power_in(course, one));
  const double highest = course.board().highest_w;
  const double most =
      std::min(kNoIdle, lowest + std::max(kIdleAbove, share_above * (highest - lowest)));
  std::vector<CourseWindow> idle;
  for (const CourseWindow& one : quiet) {
    if (power_in(course, one) <= most) idle.push_back(one);
  }
  return idle;
}

/// Parts of quiet stretches in which nothing ran, by what is known of all that ran: whatever their
/// level, that is what the work was added to.
std::vector<CourseWindow> beside_work(const std::vector<CourseWindow>& quiet,
                                      const CourseHints& known) {
  std::vector<CourseWindow> idle;
  auto work = known.work.begin();
  for (const CourseWindow& one : quiet) {
    while (work != known.work.end() && work->end <= one.begin) ++work;
    double from = std::max(one.begin, known.work_from);
    for (auto next = work; next != known.work.end() && next->begin < one.end; ++next) {
      if (next->begin - from >= kShortestQuiet) idle.push_back({from, next->begin});
      from = std::max(from, next->end);
    }
    if (one.end - from >= kShortestQuiet) idle.push_back({from, one.end});
  }
  return idle;
}

}  // namespace

IdleStretches::IdleStretches(const EnergyCourse& course, const CourseHints& known)
    : within_(tolerance(course)),
      apart_(course.cell_length()),
      longest_(std::max(kLongestBaseline, kReadingsOfBaseline * apart_)) {
  const std::vector<CourseWindow> quiet = quiet_stretches(course);
  const std::vector<CourseWindow> beside =
      known.work.empty() ? std::vector<CourseWindow>{} : beside_work(quiet, known);
  stretches_ = beside.empty() ? idle_of(course, quiet, kIdleShare) : beside;
  by_power_.resize(stretches_.size());
  perhaps_ = idle_of(course, quiet, kPerhapsIdleShare);
  for (const CourseWindow& one : perhaps_) perhaps_w_.push_back(power_in(course, one));
  for (const CourseWindow& one : stretches_) powers_.push_back(power_in(course, one));
  std::iota(by_power_.begin(), by_power_.end(), std::size_t{0});
  std::stable_sort(by_power_.begin(), by_power_.end(),
                   [this](std::size_t a, std::size_t b) { return powers_[a] < powers_[b]; });
}

bool IdleStretches::are_alike(double a, double b) const { return std::abs(a - b) <= within_; }

std::vector<double> IdleStretches::levels_about(const CourseWindow& window) const {
  std::vector<double> levels;
  for (const std::size_t i : by_power_) {
    if (levels.empty() || !are_alike(powers_[i], levels.back())) levels.push_back(powers_[i]);
  }
  const auto behind =
      std::lower_bound(perhaps_.begin(), perhaps_.end(), window.begin,
                       [](const CourseWindow& one, double t) { return one.begin < t; });
  if (behind == perhaps_.begin()) return levels;
  const auto last = std::prev(behind);
  if (last->end > window.begin - kNear) levels.push_back(perhaps_w_[last - perhaps_.begin()]);
  return levels;
}

std::optional<CourseWindow> IdleStretches::inside(const CourseWindow& quiet) const {
  const double length = quiet.end - quiet.begin;
  if (length < kShortestQuiet / 2) return std::nullopt;
  const double open = std::min(apart_, kOpenShare * length);
  return CourseWindow{quiet.begin + open, quiet.end - open};
}

std::optional<CourseWindow> IdleStretches::before(const CourseWindow& window) const {
  auto after = std::lower_bound(stretches_.begin(), stretches_.end(), window.begin,
                                [](const CourseWindow& one, double t) { return one.begin < t; });
  while (after != stretches_.begin()) {
    --after;
    const auto early = inside({after->begin, std::min(after->end, window.begin)});
    if (early) return CourseWindow{std::max(early->begin, early->end - longest_), early->end};
  }
  return std::nullopt;
}

std::optional<CourseWindow> IdleStretches::behind(const CourseWindow& window) const {
  auto near = std::lower_bound(stretches_.begin(), stretches_.end(), window.end,
                               [](const CourseWindow& one, double t) { return one.end < t; });
  const double until = window.end + std::max(kNear, 2 * apart_);
  for (; near != stretches_.end() && near->begin < until; ++near) {
    const auto late = inside({std::max(near->begin, window.end), near->end});
    if (late) return CourseWindow{late->begin, std::min(late->end, late->begin + longest_)};
  }
  return std::nullopt;
}

std::optional<Baseline> IdleStretches::baseline_of(const CourseWindow& window,
                                                   std::optional<BaselineKind> wanted) const {
  if (wanted != BaselineKind::lowest) {
    if (const auto early = before(window)) {
      return Baseline{BaselineKind::before, *early, behind(window)};
    }
    if (wanted) return std::nullopt;
  }
  for (const std::size_t i : by_power_) {
    const CourseWindow& one = stretches_[i];
    for (const CourseWindow beside : {CourseWindow{one.begin, std::min(one.end, window.begin)},
                                      CourseWindow{std::max(one.begin, window.end), one.end}}) {
      if (beside.end - beside.begin < kShortestQuiet) continue;
      if (const auto lowest = inside(beside)) return Baseline{BaselineKind::lowest, *lowest};
    }
  }
  // Who asks for the lowest knows that it idled in the window, too.
  if (!wanted || by_power_.empty()) return std::nullopt;
  return Baseline{BaselineKind::lowest, stretches_[by_power_.front()]};
}

}  // namespace truewatt::energy
