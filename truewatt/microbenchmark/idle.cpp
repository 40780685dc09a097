#include "truewatt/microbenchmark/idle.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::microbenchmark {

using uncertainty::Budget;
using uncertainty::Cause;

double idle_uncertainty(std::span<const double> changes_w) {
  if (changes_w.empty()) return 0.0;
  double squares = 0.0;
  for (const double change : changes_w) squares += change * change;
  const auto n = static_cast<double>(changes_w.size());
  // A change is a difference of two windows; the baseline between them is their mean.
  return numerics::student_widening(n) * std::sqrt(squares / n) / 2.0;
}

std::vector<bool> steady_batches(std::span<const double> changes_w) {
  constexpr std::size_t kFewest = 4;
  constexpr double kOutlier = 5.0 * 1.4826;  // of the median deviation of a normal distribution
  constexpr double kSteady = 2.0;            // W
  if (changes_w.size() < kFewest) return std::vector<bool>(changes_w.size(), true);
  std::vector<double> sizes;
  for (const double change : changes_w) sizes.push_back(std::abs(change));
  std::vector<double> sorted = sizes;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::vector<bool> steady;
  for (const double size : sizes) steady.push_back(size <= std::max(kOutlier * *middle, kSteady));
  return steady;
}

std::map<int, double> shares_by_batch(std::span<const Point> points) {
  std::map<int, double> shares;
  for (const Point& point : points) shares[point.batch] += 1.0 / static_cast<double>(points.size());
  return shares;
}

double idle_share(std::span<const Point> points) {
  double squares = 0.0;
  for (const auto& [batch, share] : shares_by_batch(points)) squares += share * share;
  return std::sqrt(squares);
}

Budget as_in_random_order(const Budget& budget, int run) {
  const auto is_misfit = [](Cause cause) { return cause == Cause::misfit; };
  Budget random = budget.without(is_misfit);
  random.add(Cause::readings, budget.part(is_misfit), {.program = "microbenchmark", .run = run});
  return random;
}

Budget as_baseline(const Budget& budget) {
  Budget alike = budget.without(uncertainty::averages_out);
  alike.add(Cause::pause_idle, budget.part(uncertainty::averages_out));
  return alike;
}

}  // namespace truewatt::microbenchmark
