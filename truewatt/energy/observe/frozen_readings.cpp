#include "truewatt/energy/observe/frozen_readings.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {
namespace {

/// For how many periods each value stood.
std::vector<double> holds_of(const Trace& trace, double period) {
  std::vector<double> holds;
  for (std::size_t i = 0; i < trace.samples.size(); ++i) {
    const bool is_last = i + 1 == trace.samples.size();
    const HostTime until = is_last ? trace.end : trace.samples[i + 1].before;
    holds.push_back(seconds_between(trace.samples[i].seen, until) / period);
  }
  return holds;
}

}  // namespace

std::vector<bool> frozen_samples(const Trace& trace, double period) {
  constexpr double kFrozen = 10.0;  // periods
  constexpr double kRepeated = 1.5;
  constexpr double kHardlyEver = 0.05;
  constexpr double kFewest = 20.0;
  constexpr double kAboutAsHigh = 0.1;
  constexpr double kWatts = 3.0;
  constexpr std::ptrdiff_t kRare = 50;
  const std::vector<double> holds = holds_of(trace, period);
  std::vector<bool> frozen(holds.size(), false);
  const auto stands = [](double hold) { return hold >= kFrozen; };
  if (std::count_if(holds.begin(), holds.end(), stands) > kRare) return frozen;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (!stands(holds[i])) continue;
    const double value = trace.samples[i].value;
    double alike = 0.0;
    double repeated = 0.0;
    for (std::size_t k = 0; k < holds.size(); ++k) {
      const double off = std::abs(trace.samples[k].value - value);
      if (k == i || off > std::max(kAboutAsHigh * std::abs(value), kWatts)) continue;
      ++alike;
      if (holds[k] >= kRepeated) ++repeated;
    }
    frozen[i] = alike >= kFewest && repeated <= kHardlyEver * alike;
  }
  return frozen;
}

}  // namespace truewatt::energy
