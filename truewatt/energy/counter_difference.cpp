#include <algorithm>
#include <cmath>

#include "truewatt/energy/idle.hpp"
#include "truewatt/energy/padded_energy.hpp"
#include "truewatt/energy/padding.hpp"
#include "truewatt/energy/source_age.hpp"
#include "truewatt/energy/tail.hpp"
#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// Nothing sooner than this after the window counts as idle: three time constants of the 13 ms
/// filter of GA100 and Hopper.
constexpr double kShortestPad = 0.040;  // s

/// One side of the window: the idle power there and the count at the window's edge.
struct Side {
  Uncertain power_w;
  double count_j = 0.0;
  double tick_sd_j = 0.0;   // of the count, from the ticks
  double slope_sd_j = 0.0;  // of the count, from carrying the idle to the edge
  double settle_s = 0.0;    // from the edge to steady idle; 0 where the first stretch is steady
  Tail tail;                // up to there
};

/// Stretches between neighbouring counter ticks, in the ticks' own direction of time.
std::vector<Stretch> stretches_of_counts(std::span<const Tick> counts) {
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
double stretch_sd(std::span<const Tick> counts, const Stretch& stretch, double quantum) {
  const double tick_sd = counts.front().time_sd;
  const double joules = numerics::quadrature({quantum / std::sqrt(12.0), stretch.power * tick_sd});
  return std::sqrt(2.0) * joules / (stretch.end - stretch.begin);
}

/// The count at `edge` from ticks of the idle on one side, given from the edge outwards.
Result<Side> side_from_line(std::span<const Tick> outwards, double edge, double quantum,
                            std::string_view name, const Limits& limits) {
  const std::vector<Stretch> stretches = stretches_of_counts(outwards);
  if (stretches.empty()) return no_idle(name);
  const double sd = stretch_sd(outwards, stretches.front(), quantum);
  const bool after = outwards.front().time < outwards.back().time;
  const auto idle =
      after ? steady_idle_after(stretches, sd, limits.idle) : steady_idle_before(stretches, sd);
  if (!idle) return no_idle(name);
  std::vector<double> times;
  std::vector<double> values;
  for (std::size_t i = idle->first; i <= idle->first + idle->count; ++i) {
    times.push_back(outwards[i].time - edge);
    values.push_back(outwards[i].value);
  }
  const double known_sd = numerics::quadrature(
      {quantum / std::sqrt(12.0), idle->power_w.value * outwards.front().time_sd});
  const auto line = numerics::fit_line(times, values, known_sd);
  if (!line) return Unexpected(line.error());
  // A line through few ticks knows its own scatter badly (GUM, annex G.4).
  const double widen = numerics::student_widening(static_cast<double>(line->points) - 2);
  const double slope_sd = widen * line->slope_sd;
  Side side{{line->slope, slope_sd},
            line->at(0.0).value,
            widen * line->center_sd,
            std::abs(slope_sd * line->center_x)};
  if (idle->first > 0) {
    side.settle_s = std::abs(outwards[idle->first].time - edge);
    side.tail = tail_of(std::span(stretches).first(idle->first), line->slope, limits.active_w);
  }
  return side;
}

/// The count at `edge` from the one tick nearest to it and an idle power known from elsewhere.
Side side_from_power(const Tick& tick, double edge, const Uncertain& idle, double quantum) {
  const double carried = edge - tick.time;
  return Side{idle, tick.value + idle.value * carried,
              numerics::quadrature({quantum / std::sqrt(12.0), idle.value * tick.time_sd}),
              std::abs(idle.standard_uncertainty * carried)};
}

std::vector<Tick> ticks_before(std::span<const Tick> ticks, const PaddedInput& input) {
  const double from = std::max(input.begin - reach_of(input), input.earliest);
  std::vector<Tick> outwards;
  for (const Tick& tick : ticks) {
    if (tick.time <= input.begin && tick.time >= from) outwards.push_back(tick);
  }
  std::reverse(outwards.begin(), outwards.end());
  return outwards;
}

std::vector<Tick> ticks_after(std::span<const Tick> ticks, const PaddedInput& input, double reach) {
  const double to = std::min(input.end + reach, input.latest);
  std::vector<Tick> outwards;
  for (const Tick& tick : ticks) {
    if (tick.time >= input.end + kShortestPad && tick.time <= to) outwards.push_back(tick);
  }
  return outwards;
}

Result<Side> count_before(std::span<const Tick> counts, const PaddedInput& input) {
  const std::vector<Tick> outwards = ticks_before(counts, input);
  if (outwards.empty()) return no_idle("before");
  if (outwards.size() > kFewestEver) {
    auto side = side_from_line(outwards, input.begin, input.quantum, "before", {});
    if (side || !input.idle_before_w) return side;
  }
  if (!input.idle_before_w) return no_idle("before");
  return side_from_power(outwards.front(), input.begin, *input.idle_before_w, input.quantum);
}

Result<Side> count_after(std::span<const Tick> counts, const PaddedInput& input, double before_w) {
  const Limits limits = limits_of(stretches_of_counts(counts), input, before_w);
  std::vector<Tick> outwards;
  for (int times = 1; times <= kFurthest; times *= 2) {
    std::vector<Tick> further = ticks_after(counts, input, times * reach_of(input));
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

Result<PaddedEnergy> counter_difference(std::span<const Tick> counts, const PaddedInput& input) {
  const auto before = count_before(counts, input);
  if (!before) return Unexpected(before.error());
  const auto after = count_after(counts, input, before->power_w.value);
  if (!after) return Unexpected(after.error());
  const std::vector<Stretch> all = stretches_of_counts(counts);
  const Limits limits = limits_of(all, input, before->power_w.value);
  const SourceAge age =
      age_of(all, input, {limits, after->tail, after->settle_s, before->power_w.value});
  const Uncertain lag = lag_energy(age.age_s, before->power_w, after->power_w);
  const Uncertain tail = drawn_after(all, input, limits, after->tail);
  const double gross = after->count_j - before->count_j + lag.value - tail.value;
  PaddedEnergy result = assemble(
      gross,
      {type_a("ticks", numerics::quadrature({before->tick_sd_j, after->tick_sd_j})),
       type_a("baseline", numerics::quadrature({before->slope_sd_j, after->slope_sd_j})),
       type_b("lag", numerics::quadrature({lag.standard_uncertainty, tail.standard_uncertainty})),
       type_b("quantum", input.quantum / std::sqrt(6.0))},
      before->power_w, after->power_w, input.end - input.begin);
  result.published_agrees = age.published_agrees;
  return result;
}

}  // namespace truewatt::energy
