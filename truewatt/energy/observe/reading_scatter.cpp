#include "truewatt/energy/observe/reading_scatter.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {
namespace {

/// So many bends in a row are a stretch.
constexpr std::size_t kStretch = 7;
/// Of readings that only scatter, by 1: one bend in four is below, ...
constexpr double kQuarterOfBends = 0.3186;
/// ... and of the medians of stretches one in a hundred (by simulation: neighbours share readings).
constexpr double kHundredthOfMedians = 0.157;
/// Stretches that say less than this share of what the quarter says are the quiet ones.
constexpr double kMostlyWork = 1.0 / 3;

/// The value that one in `count` is below; values change places.
double lowest_of(std::vector<double>& values, std::size_t count) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / count);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// What a line through its neighbours leaves of each reading, in standard deviations of one.
std::vector<double> bends_of(const std::vector<ObservedReading>& readings) {
  std::vector<double> bends;
  for (std::size_t i = 2; i < readings.size(); ++i) {
    const double bend = readings[i].value - 2 * readings[i - 1].value + readings[i - 2].value;
    bends.push_back(std::abs(bend) / std::sqrt(6.0));
  }
  return bends;
}

}  // namespace

double scatter_of(const std::vector<ObservedReading>& readings) {
  std::vector<double> bends = bends_of(readings);
  return bends.empty() ? 0.0 : lowest_of(bends, 4) / kQuarterOfBends;
}

double scatter_at_rest(const std::vector<ObservedReading>& readings) {
  const std::vector<double> bends = bends_of(readings);
  const double scatter = scatter_of(readings);
  std::vector<double> medians;
  for (std::size_t i = kStretch; i <= bends.size(); ++i) {
    const auto end = bends.begin() + static_cast<std::ptrdiff_t>(i);
    std::vector<double> stretch(end - kStretch, end);
    medians.push_back(lowest_of(stretch, 2));
  }
  if (medians.empty()) return scatter;
  const double in_quiet = lowest_of(medians, 100) / kHundredthOfMedians;
  return in_quiet < kMostlyWork * scatter ? in_quiet : scatter;
}

}  // namespace truewatt::energy
