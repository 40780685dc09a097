#include "truewatt/identification/artefacts/held_readings.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::identification {
namespace {

constexpr int kPhases = 40;
constexpr int kHoldIterations = 8;

struct AtPhase {
  double phase = 0.0;
  JointFit fit;
};

double mean_age(std::span<const ticks::Tick> seen, const std::vector<ticks::Tick>& taken) {
  double sum = 0.0;
  for (std::size_t i = 0; i < seen.size(); ++i) sum += seen[i].time - taken[i].time;
  return sum / static_cast<double>(seen.size());
}

/// The plain fit's structure at every phase, all with the noise that the plain fit leaves.
std::vector<AtPhase> scanned(const FitData& data, const JointFit& plain, double period) {
  std::vector<AtPhase> scan;
  for (int k = 0; k < kPhases; ++k) {
    const double phase = period * k / kPhases;
    const auto taken = taken_at(data.readings, period, phase);
    Parameters start = plain.parameters;
    start[kDelay] -= mean_age(data.readings, taken);
    FitData moved = data;
    moved.readings = taken;
    scan.push_back({phase, fit_from(moved, plain.structure, clamped(start), plain.noise_sd_w,
                                    kHoldIterations)});
  }
  return scan;
}

/// The delay's interval around the best phase's, wide enough for every phase that is as likely.
Interval any_likely(Interval delay, const std::vector<AtPhase>& scan, const JointFit& best) {
  const double lower = delay.value - delay.lower;
  const double upper = delay.upper - delay.value;
  const double centre = best.parameters[kDelay];
  for (const AtPhase& at : scan) {
    if (at.fit.cost > best.cost + kLikelihoodDrop) continue;
    const double apart = at.fit.parameters[kDelay] - centre;
    delay.lower = std::min(delay.lower, delay.value + apart - lower);
    delay.upper = std::max(delay.upper, delay.value + apart + upper);
  }
  return delay;
}

}  // namespace

std::vector<ticks::Tick> taken_at(std::span<const ticks::Tick> readings, double period,
                                  double phase) {
  std::vector<ticks::Tick> taken(readings.begin(), readings.end());
  for (ticks::Tick& reading : taken) {
    reading.time = phase + period * std::floor((reading.time - phase) / period);
  }
  return taken;
}

std::optional<HeldFit> fit_held(const FitData& data, const ObservationFit& plain,
                                double update_period, double hold_period) {
  const std::vector<ticks::Tick> located = well_located(data.readings);
  if (located.empty()) return std::nullopt;
  FitData seen = data;
  seen.readings = located;
  const JointFit reference = fit_from(seen, plain.joint.structure, plain.joint.parameters,
                                      plain.joint.noise_sd_w, kHoldIterations);
  const std::vector<AtPhase> scan = scanned(seen, reference, hold_period);
  const auto best =
      std::min_element(scan.begin(), scan.end(),
                       [](const AtPhase& a, const AtPhase& b) { return a.fit.cost < b.fit.cost; });
  const double price = std::log(static_cast<double>(located.size()));
  if (2 * (reference.cost - best->fit.cost) < kClearlyBetter + price) return std::nullopt;
  HeldFit held{.phase = best->phase,
               .readings = taken_at(data.readings, hold_period, best->phase),
               .fit = {}};
  FitData moved = data;
  moved.readings = held.readings;
  auto fit = fit_observation(moved, update_period);
  if (!fit) return std::nullopt;
  held.fit = std::move(*fit);
  held.fit.delay = any_likely(held.fit.delay, scan, best->fit);
  return held;
}

}  // namespace truewatt::identification
