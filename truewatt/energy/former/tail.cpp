#include "truewatt/energy/former/tail.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// A sensor that still shows most of the load so long after it (and a period) shows another load.
constexpr double kLatestFall = 2.0;  // s
/// A window draws something when its highest stretch lies this share above the idle before it.
constexpr double kDraws = 0.1;
/// Active idle lies at most this share of the load's dynamic power above idle: boards of Yang et
/// al.'s meter records (docs/method.md, section 5).
constexpr double kActiveShare = 0.2;
/// Idle that drifts by this share of the load's dynamic power is steady enough: over a second that
/// is 0.3 % of a 3 s load.
constexpr double kSteadyEnough = 0.01;
/// Idle whose halves differ by more than this share of it (or so much) is a ramp, however noisy.
constexpr double kRampShare = 0.1;
constexpr double kLeastRampW = 2.0;
/// A tail this short is a sensor's: active idle holds on for longer.
constexpr double kLagAlone = 0.1;  // s
/// Share of a tail that stays in doubt.
constexpr double kTailDoubt = 0.1;
/// A source has reached its level from this share of it on.
constexpr double kReached = 0.95;

}  // namespace

Missing missing_at_begin(std::span<const Stretch> all, const PaddedInput& input,
                         const Limits& limits) {
  std::vector<double> loaded;
  for (const Stretch& stretch : all) {
    const bool inside = stretch.begin >= input.begin && stretch.end <= input.end;
    if (inside && stretch.power > limits.idle.ceiling) loaded.push_back(stretch.power);
  }
  const auto level = numerics::median(std::move(loaded));
  if (!level) return {};
  double joules = 0.0;
  for (const Stretch& stretch : all) {
    if (stretch.end <= input.begin) continue;
    if (stretch.begin >= input.end || stretch.power >= kReached * *level) break;
    joules += (*level - stretch.power) * (stretch.end - std::max(stretch.begin, input.begin));
  }
  return {joules, *level};
}

Limits limits_of(std::span<const Stretch> all, const PaddedInput& input, double before_w) {
  double most = before_w;
  for (const Stretch& stretch : all) {
    if (stretch.begin >= input.begin && stretch.end <= input.end) {
      most = std::max(most, stretch.highest_w());
    }
  }
  const bool draws = most > before_w + kDraws * std::abs(before_w);
  if (!draws) return {};
  const double step = most - before_w;
  return {{before_w + step / 2, kSteadyEnough * step, std::max(kRampShare * step, kLeastRampW)},
          kActiveShare * step};
}

bool falls_soon(std::span<const Stretch> outwards, const PaddedInput& input, double ceiling_w) {
  const auto low = std::find_if(outwards.begin(), outwards.end(),
                                [ceiling_w](const Stretch& s) { return s.power <= ceiling_w; });
  return low != outwards.end() && low->begin <= input.end + kLatestFall + input.update_period;
}

Tail tail_of(std::span<const Stretch> stretches, double idle_w, double active_w) {
  Tail tail;
  for (const Stretch& stretch : stretches) {
    const double length = stretch.end - stretch.begin;
    const double above = std::max(stretch.power - idle_w, 0.0);
    tail.joules += above * length;
    tail.active_j += std::min(above, active_w) * length;
    tail.length_s += length;
  }
  return tail;
}

Uncertain drawn_after(std::span<const Stretch> all, const PaddedInput& input, const Limits& limits,
                      const Tail& tail) {
  if (input.lag_s || tail.length_s == 0.0) return {0.0, 0.0};
  const double doubt = kTailDoubt * tail.active_j;
  if (tail.length_s <= kLagAlone + input.update_period) return {0.0, doubt};
  const double drawn =
      std::clamp(tail.joules - missing_at_begin(all, input, limits).joules, 0.0, tail.active_j);
  // A window that is short against the tail shows no level from which something could lack.
  const bool short_window = input.end - input.begin < 2 * tail.length_s;
  if (short_window) return {drawn / 2, numerics::quadrature({doubt, drawn / std::sqrt(12.0)})};
  return {drawn, numerics::quadrature({doubt, 2 * kTailDoubt * drawn})};
}

}  // namespace truewatt::energy
