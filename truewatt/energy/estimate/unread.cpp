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

CourseWindow common(const TimeSpan& span, const CourseWindow& window) {
  return {std::max(span.begin, window.begin), std::min(span.end, window.end)};
}

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
    const CourseWindow part = common(*sum, window);
    if (part.end > part.begin) unread.push_back({part, CourseWindow{sum->begin, sum->end}});
  }
  return unread;
}

double length_of(const CourseWindow& window) { return window.end - window.begin; }

}  // namespace

double unread_within(const ObservedBoard& board, const CourseWindow& window) {
  double seconds = 0.0;
  for (const Unread& one : unread_in(board, window)) seconds += length_of(one.span);
  return seconds;
}

bool hides_unread(const ObservedBoard& board, const CourseWindow& window, double joules,
                  double share) {
  const double mean_w = joules / (window.end - window.begin);
  const double most_w = std::max(board.limit_w, board.power_limit_w.value_or(0.0));
  return unread_within(board, window) * (most_w - mean_w) > share * joules;
}

double unread_sd(const EnergyCourse& course, const CourseWindow& window) {
  const ObservedBoard& board = course.board();
  double sd = 0.0;
  for (const auto& [span, of_sum] : unread_in(board, window)) {
    const double length = length_of(span);
    const double joules = length * course.mean_power(span.begin, span.end);
    double least = length * board.lowest_w;
    double most = length * board.highest_w;
    if (of_sum) {
      const double beside = length_of(*of_sum) - length;
      const double sum = length_of(*of_sum) * course.mean_power(of_sum->begin, of_sum->end);
      least = std::max(least, sum - beside * board.highest_w);
      most = std::min(most, sum - beside * board.lowest_w);
    }
    const double off = joules - (least + most) / 2;
    sd += std::sqrt((most - least) * (most - least) / 12 + off * off);
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
