#include "truewatt/energy/course/jump_variance.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace truewatt::energy {
namespace {

constexpr double kOfContrast = 0.4;
/// Standard deviations of readings that are no contrast.
constexpr double kScatters = 2.0;
constexpr double kOfSteady = 0.0005;
constexpr double kOfUnseen = 0.01;
/// The same two of what known work leaves.
constexpr double kOfPeak = 6.0;
constexpr double kOfLevel = 0.01;
/// Amplitudes are those seen within this of a cell.
constexpr double kNear = 1.0;  // s

double square(double x) { return x * x; }

/// By cell the largest of `values` within kNear of it.
std::vector<double> running_maximum(const std::vector<Cell>& cells,
                                    const std::vector<double>& values) {
  std::vector<double> largest(values.size());
  std::deque<std::size_t> candidates;  // of falling values
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (; next < values.size() && cells[next].begin <= cells[i].end + kNear; ++next) {
      while (!candidates.empty() && values[candidates.back()] <= values[next])
        candidates.pop_back();
      candidates.push_back(next);
    }
    while (candidates.front() < i && cells[candidates.front()].end < cells[i].begin - kNear) {
      candidates.pop_front();
    }
    largest[i] = values[candidates.front()];
  }
  return largest;
}

}  // namespace

std::vector<double> amplitudes_of(const std::vector<Cell>& cells, const std::vector<double>& means,
                                  double lowest, double range) {
  std::vector<double> extent(means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    extent[i] = std::clamp(means[i] - lowest, 0.0, range);
    if (i > 0) extent[i] = std::max(extent[i], std::abs(means[i] - means[i - 1]));
    if (i + 1 < means.size()) extent[i] = std::max(extent[i], std::abs(means[i + 1] - means[i]));
  }
  return running_maximum(cells, extent);
}

std::vector<double> jump_variances(const std::vector<double>& means,
                                   const std::vector<double>& amplitudes, double lowest,
                                   double range, const Unseen& unseen) {
  const auto noise_variance = [&](double watts) {
    return square(unseen.noise_w) + square(unseen.noise * watts);
  };
  const auto contrast = [&](std::size_t i, std::size_t j) {
    const double noise = std::sqrt(noise_variance(std::max(means[i], means[j])));
    return std::max(0.0, std::abs(means[i] - means[j]) - kScatters * noise);
  };
  const double of_contrast = kOfContrast * (1 + 2 * unseen.share);
  const double of_steady = kOfSteady + kOfUnseen * unseen.share;
  std::vector<double> variances(means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    double both = 0.0;
    if (i > 0) both += contrast(i, i - 1);
    if (i + 1 < means.size()) both += contrast(i, i + 1);
    const double above = std::clamp(means[i] - lowest, 0.0, range);
    variances[i] = std::max(amplitudes[i] * (of_contrast * both + of_steady * above),
                            noise_variance(means[i]));
  }
  return variances;
}

std::vector<double> remainder_variances(const std::vector<double>& means,
                                        const std::vector<double>& amplitudes, double lowest,
                                        double range) {
  std::vector<double> variances(means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double left = i > 0 ? std::abs(means[i] - means[i - 1]) : 0.0;
    const double right = i + 1 < means.size() ? std::abs(means[i + 1] - means[i]) : 0.0;
    const double above = std::clamp(means[i] - lowest, 0.0, range);
    variances[i] = amplitudes[i] * (kOfPeak * std::min(left, right) + kOfLevel * above);
  }
  return variances;
}

}  // namespace truewatt::energy
