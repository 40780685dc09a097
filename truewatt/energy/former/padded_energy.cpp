#include "truewatt/energy/former/padded_energy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/former/idle.hpp"
#include "truewatt/energy/former/padding.hpp"
#include "truewatt/energy/former/source_age.hpp"
#include "truewatt/energy/former/tail.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

/// Readings as stretches: each stands for the time since the one before it, or since those before
/// it that are kept as sums.
std::vector<Stretch> stretches_of_readings(std::span<const ticks::Tick> readings,
                                           std::span<const Stretch> condensed) {
  std::vector<Stretch> stretches;
  auto sums = condensed.begin();
  for (std::size_t i = 1; i < readings.size(); ++i) {
    double since = readings[i - 1].time;
    // By their middle: what is on a grid has moved a little.
    for (; sums != condensed.end() && sums->begin + sums->end < 2 * readings[i].time; ++sums) {
      const double end = std::min(sums->end, readings[i].time);
      if (sums->begin + sums->end < 2 * since || !(since < end)) continue;
      stretches.push_back({std::exchange(since, end), end, sums->power, sums->of});
    }
    stretches.push_back({since, readings[i].time, readings[i].value});
  }
  return stretches;
}

struct SteadySide {
  Uncertain power_w;
  bool own = true;        // by the source's own readings
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
    return SteadySide{.power_w = *input.idle_before_w, .own = false, .edge = input.begin};
  }
  return SteadySide{.power_w = idle->power_w, .edge = outwards[idle->first].end};
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
  SteadySide side{.power_w = idle->power_w, .edge = outwards[idle->first].begin};
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
      if (stretch.of) {
        sum.unobserved_variance += stretch.of->unobserved_j2;
      } else if (sum.readings > 0) {
        sum.unobserved_variance += unobserved_j2(length, window, stretch.power - previous);
      }
      sum.readings += stretch.of ? stretch.of->stretches : 1;
    }
    previous = stretch.of ? stretch.of->last_w : stretch.power;
  }
  return sum;
}

/// Sum of the squared lengths of what was rounded alike: of a reading, of those that repeat one
/// another together, of those kept as a sum each.
double rounded_s2(std::span<const Stretch> all, double from, double to) {
  double sum = 0.0;
  double alike = 0.0;
  const Stretch* previous = nullptr;
  for (const Stretch& stretch : all) {
    const double length = std::min(stretch.end, to) - std::max(stretch.begin, from);
    if (length > 0.0) {
      if (previous == nullptr || !previous->repeated_by(stretch)) alike = 0.0;
      const double own = stretch.of ? length / static_cast<double>(stretch.of->stretches) : length;
      sum += length * (2 * alike + own);  // (alike + length)^2 - alike^2
      alike += length;
      previous = &stretch;
    }
  }
  return sum;
}

}  // namespace

double unobserved_j2(double length, double window, double change) {
  return length * std::abs(length - window) * change * change / 2;
}

Result<PaddedEnergy> padded_sum(std::span<const ticks::Tick> readings, const PaddedInput& input) {
  double widest = 0.0;
  for (const ticks::Tick& tick : readings) widest = std::max(widest, tick.time_sd);
  return padded_sum(stretches_of_readings(readings, input.condensed), widest, input);
}

Result<PaddedEnergy> padded_sum(std::span<const Stretch> all, double widest,
                                const PaddedInput& input) {
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
  // What is less than the quantum does not show: as long as readings may show the window, they may
  // differ from idle by what was rounded away.
  const double shown_until = std::max(after->edge, input.end + reach_of(input));
  const double rounded = rounded_s2(all, from, std::min(shown_until, input.latest));
  const double dynamic = span.joules / span.length - std::min(p1.value, p2.value);
  PaddedEnergy result = assemble(
      gross,
      {{Cause::unobserved, std::sqrt(span.unobserved_variance)},
       {Cause::baseline,
        numerics::quadrature({p1.standard_uncertainty * lead, p2.standard_uncertainty * tail})},
       {Cause::tick_brackets, std::abs(dynamic) * widest},
       {Cause::lag, numerics::quadrature({lag.standard_uncertainty, drawn.standard_uncertainty})},
       {Cause::quantum, reading_sd * std::sqrt(rounded)}},
      p1, p2, input.end - input.begin);
  result.own_idle_before = before->own;
  result.published_agrees = age.published_agrees;
  return result;
}

}  // namespace truewatt::energy
