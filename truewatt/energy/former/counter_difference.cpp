#include <algorithm>
#include <cmath>

#include "truewatt/energy/former/idle.hpp"
#include "truewatt/energy/former/padded_energy.hpp"
#include "truewatt/energy/former/padding.hpp"
#include "truewatt/energy/former/source_age.hpp"
#include "truewatt/energy/former/tail.hpp"
#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/wandering_line.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

/// Nothing sooner than this after the window counts as idle: three time constants of the 13 ms
/// filter of GA100 and Hopper.
constexpr double kShortestPad = 0.040;  // s

/// One side of the window: the idle power there and the count at the window's edge.
struct Side {
  Uncertain power_w;
  double count_j = 0.0;
  double tick_sd_j = 0.0;  // of the count, from the ticks
  double walk_sd_j = 0.0;  // of the count, from how idle power is known and fluctuates
  double settle_s = 0.0;   // from the edge to steady idle; 0 where the first stretch is steady
  Tail tail;               // up to there
  // Ticks of steady idle, towards the edge, and what is known of each; none for a power from
  // elsewhere.
  std::vector<double> times;
  std::vector<double> counts;
  double known_sd = 0.0;
  numerics::Increments increments;
};

/// Stretches between neighbouring counter ticks, in the ticks' own direction of time.
std::vector<Stretch> stretches_of_counts(std::span<const ticks::Tick> counts) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const auto [begin, end] = std::minmax(counts[i - 1].time, counts[i].time);
    const double power =
        (counts[i].value - counts[i - 1].value) / (counts[i].time - counts[i - 1].time);
    stretches.push_back({begin, end, power});
  }
  return stretches;
}

/// Standard deviation of a stretch's mean power from quantum and tick times.
double stretch_sd(std::span<const ticks::Tick> counts, const Stretch& stretch, double quantum) {
  const double tick_sd = counts.front().time_sd;
  const double joules = numerics::quadrature({quantum / std::sqrt(12.0), stretch.power * tick_sd});
  return std::sqrt(2.0) * joules / (stretch.end - stretch.begin);
}

/// Ticks of the idle on one side, given from the edge outwards.
Result<Side> side_from_line(std::span<const ticks::Tick> outwards, double edge, double quantum,
                            std::string_view name, const Limits& limits) {
  const std::vector<Stretch> stretches = stretches_of_counts(outwards);
  if (stretches.empty()) return no_idle(name);
  const double sd = stretch_sd(outwards, stretches.front(), quantum);
  const bool after = outwards.front().time < outwards.back().time;
  const auto idle =
      after ? steady_idle_after(stretches, sd, limits.idle) : steady_idle_before(stretches, sd);
  if (!idle) return no_idle(name);
  Side side;
  for (std::size_t i = idle->first; i <= idle->first + idle->count; ++i) {
    side.times.push_back(outwards[i].time - edge);
    side.counts.push_back(outwards[i].value);
  }
  std::reverse(side.times.begin(), side.times.end());
  std::reverse(side.counts.begin(), side.counts.end());
  side.known_sd = numerics::quadrature(
      {quantum / std::sqrt(12.0), idle->power_w.value * outwards.front().time_sd});
  const auto steady = numerics::fit_line(side.times, side.counts, side.known_sd);
  if (!steady) return Unexpected(steady.error());
  side.power_w = {steady->slope, steady->slope_sd};
  side.increments = numerics::increments_of(side.times, side.counts, steady->slope);
  if (idle->first > 0) {
    side.settle_s = std::abs(outwards[idle->first].time - edge);
    side.tail = tail_of(std::span(stretches).first(idle->first), steady->slope, limits.active_w);
  }
  return side;
}

/// Idle power and count at the edge, where ticks are known to wander so.
Result<void> carry_to_edge(Side& side, const numerics::Increments& increments) {
  if (side.times.empty()) return {};
  // The count sums what the power fluctuates by: where it wanders, the nearest ticks know best.
  const auto scatter = numerics::wandering_of(increments, side.known_sd);
  const auto line = numerics::end_of_line(side.times, side.counts, 0.0, scatter);
  if (!line) return Unexpected(line.error());
  // Few ticks know their own scatter badly (GUM, annex G.4).
  const double widen = numerics::student_widening(increments.count - increments.lines);
  side.power_w = {line->slope.value, widen * line->slope.standard_uncertainty};
  side.count_j = line->value;
  side.tick_sd_j = widen * line->white_sd;
  side.walk_sd_j = widen * line->walk_sd;
  return {};
}

/// The count at `edge` from the one tick nearest to it and an idle power known from elsewhere.
Side side_from_power(const ticks::Tick& tick, double edge, const Uncertain& idle, double quantum) {
  const double carried = edge - tick.time;
  Side side{.power_w = idle, .count_j = tick.value + idle.value * carried};
  side.tick_sd_j = numerics::quadrature({quantum / std::sqrt(12.0), idle.value * tick.time_sd});
  side.walk_sd_j = std::abs(idle.standard_uncertainty * carried);
  return side;
}

std::vector<ticks::Tick> ticks_before(std::span<const ticks::Tick> ticks,
                                      const PaddedInput& input) {
  const double from = std::max(input.begin - reach_of(input), input.earliest);
  std::vector<ticks::Tick> outwards;
  for (const ticks::Tick& tick : ticks) {
    if (tick.time <= input.begin && tick.time >= from) outwards.push_back(tick);
  }
  std::reverse(outwards.begin(), outwards.end());
  return outwards;
}

std::vector<ticks::Tick> ticks_after(std::span<const ticks::Tick> ticks, const PaddedInput& input,
                                     double reach) {
  const double to = std::min(input.end + reach, input.latest);
  std::vector<ticks::Tick> outwards;
  for (const ticks::Tick& tick : ticks) {
    if (tick.time >= input.end + kShortestPad && tick.time <= to) outwards.push_back(tick);
  }
  return outwards;
}

Result<Side> count_before(std::span<const ticks::Tick> counts, const PaddedInput& input) {
  const std::vector<ticks::Tick> outwards = ticks_before(counts, input);
  if (outwards.empty()) return no_idle("before");
  if (outwards.size() > kFewestEver) {
    auto side = side_from_line(outwards, input.begin, input.quantum, "before", {});
    if (side || !input.idle_before_w) return side;
  }
  if (!input.idle_before_w) return no_idle("before");
  return side_from_power(outwards.front(), input.begin, *input.idle_before_w, input.quantum);
}

Result<Side> count_after(std::span<const ticks::Tick> counts, const PaddedInput& input,
                         double before_w) {
  const Limits limits = limits_of(stretches_of_counts(counts), input, before_w);
  std::vector<ticks::Tick> outwards;
  for (int times = 1; times <= kFurthest; times *= 2) {
    std::vector<ticks::Tick> further = ticks_after(counts, input, times * reach_of(input));
    if (times > 1 && further.size() == outwards.size()) break;
    outwards = std::move(further);
    if (outwards.size() <= kFewestEver) continue;
    if (!falls_soon(stretches_of_counts(outwards), input, limits.idle.ceiling)) continue;
    auto side = side_from_line(outwards, input.end, input.quantum, "after", limits);
    if (side) return side;
  }
  const auto& idle = input.idle_after_w;
  if (outwards.empty() || !idle || idle->value > limits.idle.ceiling) return no_idle("after");
  return side_from_power(outwards.front(), input.end, *idle, input.quantum);
}

}  // namespace

Result<PaddedEnergy> counter_difference(std::span<const ticks::Tick> counts,
                                        const PaddedInput& input) {
  auto before = count_before(counts, input);
  if (!before) return Unexpected(before.error());
  auto after = count_after(counts, input, before->power_w.value);
  if (!after) return Unexpected(after.error());
  // Idle fluctuates alike on both sides.
  numerics::Increments increments = before->increments;
  increments += after->increments;
  for (Side* side : {&*before, &*after}) {
    if (auto done = carry_to_edge(*side, increments); !done) return Unexpected(done.error());
  }
  const std::vector<Stretch> all = stretches_of_counts(counts);
  const Limits limits = limits_of(all, input, before->power_w.value);
  const SourceAge age =
      age_of(all, input, {limits, after->tail, after->settle_s, before->power_w.value});
  const Uncertain lag = lag_energy(age.age_s, before->power_w, after->power_w);
  const Uncertain tail = drawn_after(all, input, limits, after->tail);
  const double gross = after->count_j - before->count_j + lag.value - tail.value;
  PaddedEnergy result = assemble(
      gross,
      {{Cause::ticks, numerics::quadrature({before->tick_sd_j, after->tick_sd_j})},
       {Cause::baseline, numerics::quadrature({before->walk_sd_j, after->walk_sd_j})},
       {Cause::lag, numerics::quadrature({lag.standard_uncertainty, tail.standard_uncertainty})},
       {Cause::quantum, input.quantum / std::sqrt(6.0)}},
      before->power_w, after->power_w, input.end - input.begin);
  result.own_idle_before = !before->times.empty();
  result.own_idle_after = !after->times.empty();
  result.published_agrees = age.published_agrees;
  return result;
}

}  // namespace truewatt::energy
