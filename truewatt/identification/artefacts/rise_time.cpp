#include "truewatt/identification/artefacts/rise_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace truewatt::identification {
namespace {

constexpr double kBegin = 10.0;        // s; of the work, anywhere
constexpr double kLongestRise = 60.0;  // s
constexpr int kHalvings = 40;

/// Readings of one fit, per watt of settled amplitude, of work that begins at 0 s and lasts.
class StepResponse {
 public:
  StepResponse(JointFit fit, const Parameters& p) : fit_(std::move(fit)) {
    fit_.parameters = p;
    fit_.parameters[kDelay] = 0.0;
    // What comes with the board's warmth is not its answer to a step.
    fit_.warmth_share = 0.0;
  }

  double at(double seconds) const {
    const std::array tick{ticks::Tick{.time = kBegin + seconds}};
    return responses_of(fit_, tick, kWork).front().reading;
  }

  /// The first time at which it reaches `level`, s.
  double reaches(double level) const {
    // Doubling steps do not jump over an overshoot: those last as long as they take to come.
    double low = 0.0;
    double high = 1e-5;
    while (high < kLongestRise && at(high) < level) {
      low = high;
      high *= 1.2;
    }
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (at(middle) < level ? low : high) = middle;
    }
    return high;
  }

  double rise_time() const { return reaches(0.9) - reaches(0.1); }

 private:
  static constexpr std::array<Work, 1> kWork{{{kBegin, kBegin + 10 * kLongestRise}}};
  JointFit fit_;
};

}  // namespace

std::optional<Interval> rise_time(const JointFit& fit) {
  constexpr double kStep = 1e-3;  // of a logarithm
  const double value = StepResponse(fit, fit.parameters).rise_time();
  std::array<double, kParameters> slopes{};
  for (const Parameter parameter : {kLogWindow, kLogLag, kLogRise, kLogOvershoot}) {
    if (fit.covariance[parameter][parameter] <= 0.0) continue;
    Parameters moved = fit.parameters;
    moved[parameter] += kStep;
    slopes[parameter] = (StepResponse(fit, moved).rise_time() - value) / kStep;
  }
  double variance = 0.0;
  for (std::size_t i = 0; i < kParameters; ++i) {
    for (std::size_t j = 0; j < kParameters; ++j) {
      variance += slopes[i] * slopes[j] * fit.covariance[i][j];
    }
  }
  const double half = kCoverageFactor95 * std::sqrt(std::max(variance, 0.0));
  if (!std::isfinite(value) || !std::isfinite(half)) return std::nullopt;
  return Interval{value, std::max(value - half, 0.0), value + half, 0.95};
}

}  // namespace truewatt::identification
