#include "truewatt/energy/phase_lock.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace truewatt::energy {
namespace {

/// Fewer begins than this say nothing of how they spread.
constexpr std::size_t kFewestBegins = 8;
/// Mean of unit vectors at the begins' phases: 1 when locked, about 1/sqrt(n) when spread.
constexpr double kSpread = 0.3;
constexpr int kHarmonics = 5;
/// A load without breaks must last so many periods: what a part-time source makes of its two edges
/// is then at most a tenth of it, and a twentieth as a rule.
constexpr double kLongAgainstEdges = 10.0;
/// Breaks shorter than this are no breaks: launch latency.
constexpr Nanoseconds kNoBreak = std::chrono::microseconds(200);

/// What ran within the window, breaks closed.
std::vector<ActivityInterval> stretches_of(const Recording& recording, const Window& window) {
  std::vector<ActivityInterval> stretches;
  for (const ActivityInterval& activity : recording.activity) {
    if (activity.end <= window.begin || activity.begin >= window.end) continue;
    const bool goes_on = !stretches.empty() && stretches.back().level == activity.level &&
                         activity.begin - stretches.back().end <= kNoBreak;
    if (goes_on) {
      stretches.back().end = std::max(stretches.back().end, activity.end);
    } else {
      stretches.push_back(activity);
    }
  }
  return stretches;
}

double concentration(const std::vector<ActivityInterval>& stretches, const Window& window,
                     double period_s) {
  std::complex<double> sum = 0.0;
  for (const ActivityInterval& stretch : stretches) {
    const double cycles = seconds_between(window.begin, stretch.begin) / period_s;
    sum += std::polar(1.0, 2 * std::numbers::pi * cycles);
  }
  return std::abs(sum) / static_cast<double>(stretches.size());
}

}  // namespace

bool activity_excludes_lock(const Recording& recording, const Window& window, double period_s) {
  const auto stretches = stretches_of(recording, window);
  if (stretches.size() == 1) {
    const Seconds length =
        std::min(stretches[0].end, window.end) - std::max(stretches[0].begin, window.begin);
    return length.count() >= kLongAgainstEdges * period_s;
  }
  if (stretches.size() < kFewestBegins || !(period_s > 0)) return false;
  for (int harmonic = 1; harmonic <= kHarmonics; ++harmonic) {
    if (concentration(stretches, window, period_s / harmonic) > kSpread) return false;
  }
  return true;
}

}  // namespace truewatt::energy
