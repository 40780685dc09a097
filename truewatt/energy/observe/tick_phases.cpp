#include "truewatt/energy/observe/tick_phases.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// Running median of `values` over kPhasesAtOnce of them, added to `medians`.
void add_running_median(std::span<const double> values, std::vector<double>& medians) {
  constexpr std::size_t kEvery = 16;  // a phase moves by microseconds a reading
  double median = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % kEvery == 0) {
      const std::size_t begin = i > kPhasesAtOnce / 2 ? i - kPhasesAtOnce / 2 : 0;
      const auto near = values.subspan(begin, std::min(kPhasesAtOnce, values.size() - begin));
      median = *numerics::median({near.begin(), near.end()});
    }
    medians.push_back(median);
  }
}

}  // namespace

TickPhases tick_phases(const std::vector<double>& times, double period, double period_sd) {
  constexpr double kMoves = 0.1;
  TickPhases phases;
  std::vector<double> each;
  std::size_t first = 0;
  double phase = times.empty() ? 0.0 : times.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i > 0 && (times[i] - times[i - 1]) * period_sd > kMoves * period * period) {
      add_running_median(std::span(each).subspan(first), phases.of_grid);
      first = i;
      phase = times[i];
    }
    const double number = std::round((times[i] - phase) / period);
    phases.number.push_back(number);
    each.push_back(times[i] - number * period);
    phase += 0.05 * (each.back() - phase);
  }
  add_running_median(std::span(each).subspan(first), phases.of_grid);
  return phases;
}

}  // namespace truewatt::energy
