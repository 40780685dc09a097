#include "truewatt/replication/yang/yang_step.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/replication/readers/power_readings.hpp"

namespace truewatt::replication::yang {
namespace {

constexpr double kBaseLength = 1.0;  // s
constexpr double kPlateauFrom = 1.0 / 2;
constexpr double kPlateauTo = 11.0 / 12;
constexpr double kSmallestStep = 1.0;  // W
constexpr double kSmallestStepInSds = 5.0;
/// Where the idle after the step is taken, seconds behind its end.
constexpr double kAfterFrom = 3.0;
constexpr double kAfterTo = 4.5;
/// What crosses between 10 and 90 % within so many updates did so at the next update.
constexpr double kAtOnce = 1.5;
/// Half of the way up is at (ln 2 - ln 10/9)/ln 9 = 0.27 of the time from 10 to 90 % of an
/// exponential and at 0.5 of a straight line's; in the middle between the two they part.
constexpr double kStraight = 0.385;

/// Mean of the readings shown within, or what is held there.
std::optional<double> mean_within(Readings readings, double from, double to) {
  const Readings inside = within(readings, from, to);
  if (inside.empty()) {
    const Readings before = within(readings, readings.front().time, from);
    return before.empty() ? std::nullopt : std::optional(before.back().value);
  }
  double sum = 0.0;
  for (const ticks::Tick& tick : inside) sum += tick.value;
  return sum / static_cast<double>(inside.size());
}

double sd_within(Readings readings, double from, double to) {
  std::vector<double> values;
  for (const ticks::Tick& tick : within(readings, from, to)) values.push_back(tick.value);
  const auto summary = numerics::summarize(values);
  return summary ? summary->sd : 0.0;
}

/// A way from one power to another.
struct Way {
  double from_w = 0.0;
  double to_w = 0.0;
};

/// When the first of the readings is `share` of the way.
std::optional<double> crossing(Readings readings, const Way& way, double share) {
  const double level = way.from_w + share * (way.to_w - way.from_w);
  const double sign = way.to_w > way.from_w ? 1.0 : -1.0;
  const auto found = std::find_if(
      readings.begin(), readings.end(),
      [level, sign](const ticks::Tick& tick) { return sign * (tick.value - level) >= 0.0; });
  return found == readings.end() ? std::nullopt : std::optional(found->time);
}

/// Boards were seen to fall up to 50 ms before their load's stamp (metered A100, RTX 3090, K40m).
void add_fall(StepResponse& response, Readings readings, const identification::Work& step,
              double until) {
  if (until < step.end + kAfterFrom) return;
  const auto after =
      mean_within(readings, step.end + kAfterFrom, std::min(until, step.end + kAfterTo));
  const double from = step.begin + kPlateauTo * (step.end - step.begin);
  const Readings falling = within(readings, from, until);
  if (!after || *after >= response.top_w) return;
  const Way down{response.top_w, *after};
  const auto t10 = crossing(falling, down, 0.1);
  const auto t90 = crossing(falling, down, 0.9);
  if (t10 && t90) response.fall = *t90 - *t10;
}

/// Mean of the levels' means; the spread is that of all.
numerics::Summary over_levels(const std::vector<std::vector<double>>& by_level) {
  std::vector<double> all;
  std::vector<double> means;
  for (const std::vector<double>& level : by_level) {
    if (level.empty()) continue;
    all.insert(all.end(), level.begin(), level.end());
    means.push_back(numerics::summarize(level)->mean);
  }
  numerics::Summary summary = numerics::summarize(all).value_or(numerics::Summary{});
  if (const auto levels = numerics::summarize(means)) summary.mean = levels->mean;
  return summary;
}

TransientKind kind_of(double rise, const std::optional<numerics::Summary>& fall,
                      const std::optional<numerics::Summary>& shape, double update_period) {
  const bool rises_slowly = rise > kAtOnce * update_period;
  // Without a fall a board that takes so long is not known.
  const bool is_slow = fall ? fall->median > kAtOnce * update_period : rise > kLongestRise;
  if (!rises_slowly) return TransientKind::instant;
  if (!is_slow || !shape) return TransientKind::slow_board;
  return shape->median < kStraight ? TransientKind::logarithmic : TransientKind::averaging;
}

}  // namespace

std::optional<StepResponse> step_response(Readings readings, const identification::Work& step,
                                          double until) {
  if (readings.empty()) return std::nullopt;
  const double length = step.end - step.begin;
  const double plateau_from = step.begin + kPlateauFrom * length;
  const auto base = mean_within(readings, step.begin - kBaseLength, step.begin);
  const auto top = mean_within(readings, plateau_from, step.begin + kPlateauTo * length);
  if (!base || !top) return std::nullopt;
  const double noise = sd_within(readings, step.begin - kBaseLength, step.begin);
  if (*top - *base < std::max(kSmallestStep, kSmallestStepInSds * noise)) return std::nullopt;
  const Way up{*base, *top};
  const Readings rising = within(readings, step.begin, step.end);
  const auto t10 = crossing(rising, up, 0.1);
  const auto t50 = crossing(rising, up, 0.5);
  const auto t90 = crossing(rising, up, 0.9);
  if (!t10 || !t50 || !t90) return std::nullopt;
  StepResponse response{.base_w = *base,
                        .top_w = *top,
                        .t10 = *t10 - step.begin,
                        .t50 = *t50 - step.begin,
                        .t90 = *t90 - step.begin};
  add_fall(response, readings, step, until);
  return response;
}

std::optional<Transient> summarize_transient(const std::vector<std::vector<StepResponse>>& by_level,
                                             double update_period) {
  std::vector<std::vector<double>> rises;
  std::vector<std::vector<double>> delays;
  std::vector<double> falls;
  std::vector<double> shapes;
  for (const std::vector<StepResponse>& level : by_level) {
    rises.emplace_back();
    delays.emplace_back();
    for (const StepResponse& response : level) {
      rises.back().push_back(response.rise());
      delays.back().push_back(response.delay());
      if (response.fall) falls.push_back(*response.fall);
      if (response.rise() > 0.0) {
        shapes.push_back((response.t50 - response.t10) / response.rise());
      }
    }
  }
  Transient transient{.rise = over_levels(rises), .delay = over_levels(delays)};
  if (transient.rise.count == 0) return std::nullopt;
  transient.kind = kind_of(transient.rise.mean, numerics::summarize(falls),
                           numerics::summarize(shapes), update_period);
  return transient;
}

}  // namespace truewatt::replication::yang
