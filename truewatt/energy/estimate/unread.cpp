#include "truewatt/energy/estimate/unread.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/base/interval.hpp"

namespace truewatt::energy {

double unread_within(const ObservedBoard& board, const CourseWindow& window) {
  double read = 0.0;
  auto span = std::lower_bound(board.read.begin(), board.read.end(), window.begin,
                               [](const TimeSpan& one, double t) { return one.end < t; });
  for (; span != board.read.end() && span->begin < window.end; ++span) {
    read += std::max(0.0, std::min(span->end, window.end) - std::max(span->begin, window.begin));
  }
  return std::max(0.0, window.end - window.begin - read);
}

bool hides_unread(const ObservedBoard& board, const CourseWindow& window, double joules,
                  double share) {
  const double mean_w = joules / (window.end - window.begin);
  const double most_w = std::max(board.limit_w, board.power_limit_w.value_or(0.0));
  return unread_within(board, window) * (most_w - mean_w) > share * joules;
}

double unread_sd(const ObservedBoard& board, const CourseWindow& window) {
  return unread_within(board, window) * (board.highest_w - board.lowest_w) / std::sqrt(12.0);
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
