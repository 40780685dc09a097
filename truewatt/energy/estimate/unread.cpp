#include "truewatt/energy/estimate/unread.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "truewatt/base/interval.hpp"

namespace truewatt::energy {

namespace {

/// A part of a window that nobody looked at.
struct Unread {
  CourseWindow span;
  std::optional<CourseWindow> of_sum{};  ///< what a counter counted in one, and more than that part
};

std::vector<Unread> unread_in(const ObservedBoard& board, const CourseWindow& window) {
  const auto ends_before = [](const TimeSpan& one, double t) { return one.end < t; };
  std::vector<Unread> unread;
  double until = window.begin;
  auto span = std::lower_bound(board.read.begin(), board.read.end(), window.begin, ends_before);
  for (; span != board.read.end() && span->begin < window.end; ++span) {
    if (span->begin > until) unread.push_back({{until, span->begin}});
    until = std::min(span->end, window.end);
  }
  if (until < window.end) unread.push_back({{until, window.end}});
  auto sum = std::lower_bound(board.summed.begin(), board.summed.end(), window.begin, ends_before);
  for (; sum != board.summed.end() && sum->begin < window.end; ++sum) {
    if (sum->begin >= window.begin && sum->end <= window.end) continue;
    const CourseWindow part{std::max(sum->begin, window.begin), std::min(sum->end, window.end)};
    if (part.end > part.begin) unread.push_back({part, CourseWindow{sum->begin, sum->end}});
  }
  return unread;
}

double length_of(const CourseWindow& window) { return window.end - window.begin; }

double joules_in(const EnergyCourse& course, const CourseWindow& window) {
  return length_of(window) * course.mean_power(window.begin, window.end);
}

/// The energies that a board can have drawn in a time.
struct Reach {
  double least = 0.0;  ///< J
  double most = 0.0;
};

/// What a board between its lowest power and `most_w` can have drawn there, or half as much again
/// as what it drew on average of a sum.
Reach reach_of(const EnergyCourse& course, const Unread& unread, double most_w) {
  constexpr double kOverMean = 1.5;
  const double lowest_w = course.board().lowest_w;
  const double length = length_of(unread.span);
  if (!unread.of_sum) return {length * lowest_w, length * most_w};
  const double beside = length_of(*unread.of_sum) - length;
  const double sum = joules_in(course, *unread.of_sum);
  most_w = std::max(most_w, kOverMean * sum / (length + beside));
  return {std::max(length * lowest_w, sum - beside * most_w),
          std::min(length * most_w, sum - beside * lowest_w)};
}

}  // namespace

double unread_within(const EnergyCourse& course, const CourseWindow& window) {
  const ObservedBoard& board = course.board();
  double seconds = 0.0;
  for (const Unread& one : unread_in(board, window)) {
    const double swing = board.highest_w - board.lowest_w;
    const Reach reach = reach_of(course, one, board.highest_w);
    seconds += !one.of_sum ? length_of(one.span)
               : swing > 0 ? std::max(0.0, reach.most - reach.least) / swing
                           : 0.0;
  }
  return seconds;
}

bool hides_unread(const EnergyCourse& course, const CourseWindow& window, double joules,
                  double share) {
  const ObservedBoard& board = course.board();
  const double mean_w = joules / length_of(window);
  const double most_w = std::max(board.limit_w, board.power_limit_w.value_or(0.0));
  double more = 0.0;
  for (const Unread& one : unread_in(board, window)) {
    more += reach_of(course, one, most_w).most -
            (one.of_sum ? joules_in(course, one.span) : mean_w * length_of(one.span));
  }
  return more > share * joules;
}

double unread_sd(const EnergyCourse& course, const CourseWindow& window) {
  double sd = 0.0;
  for (const Unread& one : unread_in(course.board(), window)) {
    const Reach reach = reach_of(course, one, course.board().highest_w);
    const double off = joules_in(course, one.span) - (reach.least + reach.most) / 2;
    const double range = reach.most - reach.least;
    sd += std::sqrt(range * range / 12 + off * off);
  }
  return sd;
}

bool holds_impossible(const ObservedBoard& board, const CourseWindow& window) {
  return std::any_of(board.sources.begin(), board.sources.end(), [&window](const auto& source) {
    return std::any_of(source.leaps.begin(), source.leaps.end(), [&window](const TimeSpan& leap) {
      return leap.begin < window.end && leap.end > window.begin;
    });
  });
}

CourseEnergy within_reach(const ObservedBoard& board, double length, CourseEnergy energy) {
  const double least_j = board.lowest_w * length;
  const double most_j = board.limit_w * length;
  const double half_width = kCoverageFactor95 * energy.standard_uncertainty;
  if (!(half_width > most_j - least_j) || !(most_j > least_j)) return energy;
  const double share = (most_j - least_j) / 2 / half_width;
  for (uncertainty::Term& term : energy.budget) term.u *= share;
  energy.standard_uncertainty *= share;
  energy.joules = (least_j + most_j) / 2;
  return energy;
}

double leapt_within(const ObservedBoard& board, const CourseWindow& window) {
  double joules = 0.0;
  for (const ObservedBoard::Leap& leap : board.leaps) {
    const bool is_outside = leap.span.end <= window.begin || leap.span.begin >= window.end;
    if (!is_outside) joules += leap.joules;
  }
  return joules;
}

}  // namespace truewatt::energy
