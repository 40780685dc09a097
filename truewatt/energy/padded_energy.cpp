#include "truewatt/energy/padded_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/energy/idle.hpp"
#include "truewatt/energy/source_age.hpp"
#include "truewatt/energy/tail.hpp"
#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// Idle is looked for this far from the window: the margin that loads keep (load.hpp), and so many
/// update periods of a slow source ...
constexpr double kReach = 1.0;  // s
constexpr double kReachPeriods = 8.0;
/// ... and, after a window that the source takes long to forget, up to so many times as far.
constexpr int kFurthest = 8;
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

Unexpected no_idle(std::string_view side) {
  return {Errc::ill_conditioned,
          fmt::format("no steady idle was seen {} the window; leave a second of it", side)};
}

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

double reach_of(const PaddedInput& input) {
  return std::max(kReach, kReachPeriods * input.update_period);
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

/// Baseline: the mean of the two idle powers; that it moved from one to the other in between, at a
/// time unknown, is part of its uncertainty.
Uncertain baseline_of(const Uncertain& before, const Uncertain& after) {
  return {(before.value + after.value) / 2,
          numerics::quadrature({before.standard_uncertainty / 2, after.standard_uncertainty / 2,
                                (after.value - before.value) / std::sqrt(12.0)})};
}

/// Puts gross, net, baseline and budget together. `terms` are of the gross energy.
PaddedEnergy assemble(double gross, std::vector<BudgetTerm> terms, const Uncertain& before,
                      const Uncertain& after, double length) {
  double squares = 0.0;
  for (const BudgetTerm& term : terms) {
    squares += term.standard_uncertainty.value() * term.standard_uncertainty.value();
  }
  PaddedEnergy result;
  result.gross_j = {gross, std::sqrt(squares)};
  result.baseline_w = baseline_of(before, after);
  result.idle_before_w = before;
  result.idle_after_w = after;
  result.net_j = {gross - result.baseline_w.value * length,
                  numerics::quadrature({result.gross_j.standard_uncertainty,
                                        result.baseline_w.standard_uncertainty * length})};
  result.budget = std::move(terms);
  return result;
}

/// What is known of a reading's age.
SourceAge age_of(std::span<const Stretch> all, const PaddedInput& input, const WindowEdges& edges) {
  if (input.lag_s) return {*input.lag_s, std::nullopt};
  const RecordedAge recorded = recorded_age(all, input, edges);
  return input.published_age_s ? age_from(recorded, *input.published_age_s) : age_from(recorded);
}

/// Energy that a reading's age hides: at the begin it still lacks lag * idle before, at the end lag
/// * idle after (docs/method.md, eq. 11).
Uncertain lag_energy(const Uncertain& lag, const Uncertain& before_w, const Uncertain& after_w) {
  const double step = after_w.value - before_w.value;
  return {step * lag.value, std::abs(step) * lag.standard_uncertainty};
}

BudgetTerm type_a(std::string term, double joules) {
  return {std::move(term), Joules(joules), 'A'};
}
BudgetTerm type_b(std::string term, double joules) {
  return {std::move(term), Joules(joules), 'B'};
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

namespace {

/// Readings as stretches: each stands for the time since the one before it.
std::vector<Stretch> stretches_of_readings(std::span<const Tick> readings) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    stretches.push_back({readings[i - 1].time, readings[i].time, readings[i].value});
  }
  return stretches;
}

struct SteadySide {
  Uncertain power_w;
  double edge = 0.0;      // where the steady stretch begins, seen from the window
  double settle_s = 0.0;  // from the window to there; 0 where the first stretch is steady
  Tail tail;              // up to there
};

std::optional<SteadySide> steady_before(std::span<const Stretch> all, const PaddedInput& input,
                                        double reading_sd) {
  const double earliest = std::max(input.begin - reach_of(input), input.earliest);
  std::vector<Stretch> outwards;
  for (const Stretch& stretch : all) {
    if (stretch.end <= input.begin && stretch.begin >= earliest) outwards.push_back(stretch);
  }
  std::reverse(outwards.begin(), outwards.end());
  const auto idle = steady_idle_before(outwards, reading_sd);
  if (!idle) {
    if (!input.idle_before_w) return std::nullopt;
    return SteadySide{*input.idle_before_w, input.begin};
  }
  return SteadySide{idle->power_w, outwards[idle->first].end};
}

std::optional<SteadySide> steady_within(std::span<const Stretch> all, const PaddedInput& input,
                                        double reading_sd, const Limits& limits, double reach) {
  const double latest = std::min(input.end + reach, input.latest);
  std::vector<Stretch> outwards;
  for (const Stretch& stretch : all) {
    if (stretch.begin >= input.end && stretch.end <= latest) outwards.push_back(stretch);
  }
  if (!falls_soon(outwards, input, limits.idle.ceiling)) return std::nullopt;
  const auto idle = steady_idle_after(outwards, reading_sd, limits.idle);
  if (!idle) return std::nullopt;
  SteadySide side{idle->power_w, outwards[idle->first].begin};
  if (idle->first > 0) side.settle_s = side.edge - input.end;
  side.tail = tail_of(std::span(outwards).first(idle->first), idle->power_w.value, limits.active_w);
  return side;
}

std::optional<SteadySide> steady_after(std::span<const Stretch> all, const PaddedInput& input,
                                       double reading_sd, double before_w) {
  const Limits limits = limits_of(all, input, before_w);
  for (int times = 1; times <= kFurthest; times *= 2) {
    auto side = steady_within(all, input, reading_sd, limits, times * reach_of(input));
    if (side) return side;
  }
  return std::nullopt;
}

/// Sum of the padded span and the variance of what was not looked at.
struct SpanSum {
  double joules = 0.0;
  double unobserved_variance = 0.0;
  double length = 0.0;
  std::size_t readings = 0;
};

SpanSum sum_span(std::span<const Stretch> all, double from, double to, double window) {
  SpanSum sum;
  double previous = 0.0;
  for (const Stretch& stretch : all) {
    const double begin = std::max(stretch.begin, from);
    const double end = std::min(stretch.end, to);
    if (end > begin) {
      const double length = end - begin;
      sum.joules += stretch.power * length;
      sum.length += length;
      if (sum.readings++ > 0) {
        const double change = stretch.power - previous;
        sum.unobserved_variance += length * std::abs(length - window) * change * change / 2;
      }
    }
    previous = stretch.power;
  }
  return sum;
}

}  // namespace

Result<PaddedEnergy> padded_sum(std::span<const Tick> readings, const PaddedInput& input) {
  const std::vector<Stretch> all = stretches_of_readings(readings);
  const double reading_sd = input.quantum / std::sqrt(12.0);
  const auto before = steady_before(all, input, reading_sd);
  if (!before) return no_idle("before");
  const auto after = steady_after(all, input, reading_sd, before->power_w.value);
  if (!after) return no_idle("after");
  const double from = std::min(before->edge, input.begin);
  const SpanSum span = sum_span(all, from, after->edge, input.averaging_window);
  if (span.readings < 2) {
    return Unexpected(Errc::insufficient_data, "too few readings in the window");
  }
  if (span.length < 0.999 * (after->edge - from)) return no_idle("before");
  const double lead = input.begin - from;
  const double tail = after->edge - input.end;
  const Uncertain& p1 = before->power_w;
  const Uncertain& p2 = after->power_w;
  const Limits limits = limits_of(all, input, p1.value);
  const SourceAge age = age_of(all, input, {limits, after->tail, after->settle_s, p1.value});
  const Uncertain lag = lag_energy(age.age_s, p1, p2);
  const Uncertain drawn = drawn_after(all, input, limits, after->tail);
  const double gross = span.joules - p1.value * lead - p2.value * tail + lag.value - drawn.value;
  double widest = 0.0;
  for (const Tick& tick : readings) widest = std::max(widest, tick.time_sd);
  const double dynamic = span.joules / span.length - std::min(p1.value, p2.value);
  PaddedEnergy result = assemble(
      gross,
      {type_a("unobserved", std::sqrt(span.unobserved_variance)),
       type_a("baseline", numerics::quadrature(
                              {p1.standard_uncertainty * lead, p2.standard_uncertainty * tail})),
       type_b("ticks", std::abs(dynamic) * widest),
       type_b("lag", numerics::quadrature({lag.standard_uncertainty, drawn.standard_uncertainty})),
       type_b("quantum", input.quantum / std::sqrt(12.0) * span.length /
                             std::sqrt(static_cast<double>(span.readings)))},
      p1, p2, input.end - input.begin);
  result.published_agrees = age.published_agrees;
  return result;
}

}  // namespace truewatt::energy
