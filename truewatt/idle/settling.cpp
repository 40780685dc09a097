#include "truewatt/idle/settling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::idle {
namespace {

constexpr std::size_t kFewestPowers = 9;
constexpr double kDeviations = 4.0;
constexpr double kSettledShare = 0.01;
constexpr double kSettledWatts = 0.5;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Around a straight line, so that a trend is not taken for scatter.
double deviation_of(std::span<const double> values) {
  std::vector<double> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const auto line = numerics::fit_line(numbers, values);
  return line ? line->residual_sd : 0.0;
}

}  // namespace

std::optional<std::size_t> settled_after(std::span<const double> power_w) {
  const std::size_t count = power_w.size();
  if (count < kFewestPowers) return std::nullopt;
  const auto last = power_w.last(count / 3);
  const double level = mean_of(last);
  const double deviation = deviation_of(last);
  const double least = std::max(kSettledShare * std::abs(level), kSettledWatts);
  const std::size_t half = last.size() / 2;
  const double change = std::abs(mean_of(last.last(half)) - mean_of(last.first(half)));
  const double by_chance = kDeviations * deviation * std::sqrt(2.0 / static_cast<double>(half));
  if (change > std::max(by_chance, least)) return std::nullopt;
  const double within = std::max(kDeviations * deviation, least);
  const auto is_outside = [&](double power) { return std::abs(power - level) > within; };
  const auto outside = std::find_if(power_w.rbegin(), power_w.rend(), is_outside);
  const auto settled = static_cast<std::size_t>(power_w.rend() - outside);
  if (settled > count - last.size()) return std::nullopt;
  return settled;
}

}  // namespace truewatt::idle
