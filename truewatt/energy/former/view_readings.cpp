#include "truewatt/energy/former/view_readings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace truewatt::energy {
namespace {

/// A lag is forgotten after so many time constants.
constexpr double kForgotten = 6.0;
/// No reading is better than this share of what the source shows, no count better than this.
constexpr double kFinestNoise = 1e-4;
constexpr double kFinestCount = 1e-3;  // J

/// Bends of the readings within a stretch of time: a line through the neighbours leaves so much of
/// each, as its own standard deviation.
void add_bends(const SourceView& view, double from, double to, std::vector<double>& bends) {
  const double delay = view.model.delay.count();
  for (std::size_t i = 2; i < view.ticks.size(); ++i) {
    const double first = view.ticks[i - 2].time - delay - view.model.averaging_window.count();
    if (first < from || view.ticks[i].time - delay > to) continue;
    const double bend = view.ticks[i].value - 2 * view.ticks[i - 1].value + view.ticks[i - 2].value;
    bends.push_back(bend / std::sqrt(6.0));
  }
}

/// Root mean square without the largest twentieth. The median of readings on few steps of a quantum
/// would be zero.
double trimmed_rms(std::vector<double> values) {
  constexpr double kKept = 0.95;
  constexpr double kOfNormal = 0.871;  // what is kept of a normal sample's standard deviation
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  const auto kept = static_cast<std::size_t>(kKept * static_cast<double>(values.size()));
  double squares = 0.0;
  for (std::size_t i = 0; i < kept; ++i) squares += values[i] * values[i];
  return kept > 0 ? std::sqrt(squares / static_cast<double>(kept)) / kOfNormal : 0.0;
}

}  // namespace

double memory_of(const ObservationModel& model) {
  return model.averaging_window.count() + std::abs(model.delay.count()) +
         kForgotten * model.time_constant.count();
}

double scatter_of(const SourceView& view, double begin, double end) {
  constexpr std::size_t kEnough = 6;
  constexpr double kEver = std::numeric_limits<double>::infinity();
  if (counts_energy(view.source)) return kFinestCount;
  std::vector<double> bends;
  add_bends(view, -kEver, begin, bends);
  add_bends(view, end + memory_of(view.model), kEver, bends);
  if (bends.size() < kEnough) add_bends(view, -kEver, kEver, bends);
  double largest = 0.0;
  for (const ticks::Tick& tick : view.ticks) largest = std::max(largest, std::abs(tick.value));
  return std::max(trimmed_rms(bends), kFinestNoise * largest);
}

double power_at(const SourceView& view, std::size_t k) {
  if (!counts_energy(view.source)) return view.ticks[k].value;
  const ticks::Tick& before = view.ticks[k - 1];
  return (view.ticks[k].value - before.value) / (view.ticks[k].time - before.time);
}

double slope_at(const SourceView& view, std::size_t k) {
  const ticks::Tick& before = view.ticks[k > 0 ? k - 1 : k];
  const ticks::Tick& after = view.ticks[std::min(k + 1, view.ticks.size() - 1)];
  if (counts_energy(view.source)) {
    return (after.value - before.value) / std::max(1e-6, after.time - before.time);
  }
  const double within = view.model.averaging_window.count() + view.model.time_constant.count();
  return std::abs(after.value - before.value) / 2 / std::max(within, view.ticks[k].time_sd);
}

}  // namespace truewatt::energy
