#include "truewatt/energy/host/host_energy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/validity/validity.hpp"
#include "truewatt/model/metered_boards.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/trace/condense.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

/// A counter that nobody asked for so long may have wrapped unseen: 2^32 of RAPL's smallest unit in
/// use, 15.3 uJ, are 66 kJ, a minute at 1.1 kW.
constexpr Nanoseconds kLongestUnasked = std::chrono::seconds(60);
/// Of means, what nobody knows for longer than ten of them.
constexpr Seconds kLongestSilence{0.5};
/// No socket draws so much. A counter that seems to was reset, not wrapped.
constexpr Watts kMostPower{10000};

/// Joules and the terms of their standard uncertainty.
struct Sum {
  double joules = 0.0;
  std::vector<uncertainty::Term> terms;
};

// ---- Energy counters

/// Where the count at an edge lies: samples on both sides, and the count with its uncertainty.
struct CountAt {
  const Sample* earlier = nullptr;
  const Sample* later = nullptr;
  Uncertain joules;
};

/// By then at least `earlier` was counted, and no more than `later`, which was published after it.
std::optional<CountAt> count_at(const std::vector<Sample>& samples, HostTime edge) {
  const auto after = std::partition_point(samples.begin(), samples.end(),
                                          [edge](const Sample& s) { return s.seen <= edge; });
  const auto beyond = std::partition_point(samples.begin(), samples.end(),
                                           [edge](const Sample& s) { return s.before < edge; });
  if (after == samples.begin() || beyond == samples.end()) return std::nullopt;
  const Sample& a = *std::prev(after);
  const Sample& b = *beyond;
  const double share = seconds_between(a.seen, edge) / seconds_between(a.seen, b.seen);
  const double step = b.value - a.value;
  return CountAt{&a, &b, {a.value + share * step, std::abs(step) / std::sqrt(12.0)}};
}

/// Why the counts from `from` to `to` are not one count; nothing where they are.
std::optional<Reason> why_not_one_count(const Trace& trace, HostTime from, HostTime to) {
  for (const CondensedStretch& stretch : condensed_within(trace, from, to)) {
    if (stretch.longest_silence > kLongestUnasked) return Reason::gap_in_readings;
  }
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    const Sample& a = trace.samples[i - 1];
    const Sample& b = trace.samples[i];
    if (b.seen <= from || a.seen >= to) continue;
    if (b.seen - b.before > kLongestUnasked) return Reason::gap_in_readings;
    const Joules most = kMostPower * Seconds(b.seen - a.seen);
    if (b.value < a.value || b.value - a.value > most.value()) return Reason::counter_reset;
  }
  return std::nullopt;
}

std::optional<Sum> counted(EnergyEstimate& estimate, const Trace& trace, const Window& window) {
  const auto begin = count_at(trace.samples, window.begin);
  const auto end = count_at(trace.samples, window.end);
  if (!begin || !end) {
    add_reason(estimate, Reason::no_readings_in_window);
    return std::nullopt;
  }
  if (const auto reason = why_not_one_count(trace, begin->earlier->seen, end->later->seen)) {
    add_reason(estimate, *reason);
    return std::nullopt;
  }
  if (begin->later == end->later) {
    add_reason(estimate, Reason::window_too_short);
    return std::nullopt;
  }
  const double edges =
      numerics::quadrature({begin->joules.standard_uncertainty, end->joules.standard_uncertainty});
  return Sum{end->joules.value - begin->joules.value, {{Cause::edges, edges}}};
}

// ---- Means of power

/// Variance, J^2, of what a reading that covers `covers` of the `length` seconds since the one
/// before did not see, where it differs by `change` W from that (docs/method.md, eq. 13).
double unobserved_variance(double length, double covers, double change) {
  return length * std::abs(length - covers) * change * change / 2;
}

/// Power of a stretch of time, s since the window's begin.
struct Piece {
  double begin = 0.0;
  double end = 0.0;
  double power = 0.0;
  double readings = 1.0;
  double unobserved_j2 = 0.0;  ///< variance of what was published there unseen
};

/// What the readings say of the power all through the trace, and by how much they change.
struct Pieces {
  std::vector<Piece> all;
  std::vector<double> steps_w;
};

Pieces pieces_of(const Trace& trace, HostTime origin) {
  const double covers = kHostAveraging.count();
  Pieces pieces;
  double from = 0.0;
  double shown = 0.0;
  for (const Sample& sample : trace.samples) {
    const bool first = &sample == &trace.samples.front();
    const double seen = seconds_between(origin, sample.seen);
    const double silent = seconds_between(sample.before, sample.seen);
    // The first value was there before anybody asked.
    const double tick = first ? seen : seen - silent / 2;
    const double begins = first ? tick - covers : std::max(from, tick - covers);
    if (!first) pieces.steps_w.push_back(std::abs(sample.value - shown));
    if (!first && begins > from) pieces.all.push_back({from, begins, shown});
    Piece piece{begins, tick, sample.value};
    if (!first && silent > covers) {
      piece.unobserved_j2 = unobserved_variance(tick - from, covers, sample.value - shown);
    }
    pieces.all.push_back(piece);
    from = tick;
    shown = sample.value;
    for (const CondensedStretch& sums : condensed_after(trace, sample.seen)) {
      const double to = seconds_between(origin, sums.end_tick);
      if (!(to > from)) continue;
      pieces.all.push_back(
          {from, to, sums.read_j / (to - from), static_cast<double>(sums.readings)});
      from = to;
      shown = sums.last_w;
    }
  }
  pieces.all.push_back({from, seconds_between(origin, trace.end), shown});
  return pieces;
}

/// Noise of one reading from its changes, hardly of the load's: of a normal distribution the median
/// change is 0.954 standard deviations.
double noise_of(const std::vector<double>& steps_w) {
  const auto summary = numerics::summarize(steps_w);
  return summary ? summary->median / 0.954 : 0.0;
}

/// What the power may change by within the time that one reading covers around an edge: where in
/// there it does, and how late the reading is published, is not known.
double edge_j(const Pieces& pieces, double edge) {
  const double covers = kHostAveraging.count();
  std::optional<std::pair<double, double>> range;
  for (const Piece& piece : pieces.all) {
    if (piece.end <= edge - covers || piece.begin >= edge + covers) continue;
    if (!range) range.emplace(piece.power, piece.power);
    range = {std::min(range->first, piece.power), std::max(range->second, piece.power)};
  }
  return range ? covers * (range->second - range->first) / std::sqrt(12.0) : 0.0;
}

/// Time within the window in which the source did not answer.
Seconds silent_in(const Trace& trace, const Window& window) {
  Seconds silent{0};
  for (const Gap& gap : trace.gaps) {
    if (gap.cause == kNotAsked) continue;
    const HostTime begin = std::max(gap.begin, window.begin);
    const HostTime end = std::min(gap.end, window.end);
    if (end > begin) silent += Seconds(end - begin);
  }
  return silent;
}

std::optional<Sum> summed(EnergyEstimate& estimate, const Recording& recording, const Trace& trace,
                          const Window& window) {
  const double length = estimate.window.count();
  const Pieces pieces = pieces_of(trace, window.begin);
  if (pieces.all.front().begin > 0 || pieces.all.back().end < length) {
    add_reason(estimate, Reason::no_readings_in_window);
    return std::nullopt;
  }
  for (const Reason reason :
       why_not_whole(recording, trace, window, window.begin, window.end, kHostAveraging.count())) {
    add_reason(estimate, reason);
  }
  // What is held over a moment is as good as its neighbours; over longer nobody knows.
  if (silent_in(trace, window) > kLongestSilence) return std::nullopt;
  Sum sum;
  double squares = 0.0;
  double unobserved = 0.0;
  for (const Piece& piece : pieces.all) {
    const double within = std::min(piece.end, length) - std::max(piece.begin, 0.0);
    if (!(within > 0)) continue;
    sum.joules += piece.power * within;
    squares += within * within / piece.readings;
    unobserved += piece.unobserved_j2;
  }
  sum.terms = {{Cause::edges, numerics::quadrature({edge_j(pieces, 0.0), edge_j(pieces, length)})},
               {Cause::noise, noise_of(pieces.steps_w) * std::sqrt(squares)},
               {Cause::unobserved, std::sqrt(unobserved)}};
  return sum;
}

void fill_host(EnergyEstimate& estimate, const Sum& sum, double resolve) {
  estimate.scale = assumed_accuracy(*estimate.source);
  const double gain = estimate.scale->of(Joules(sum.joules), estimate.window);
  estimate.budget = sum.terms;
  estimate.budget.push_back({Cause::gain, gain});
  const double precision = uncertainty::part_of(sum.terms, [](Cause) { return true; });
  const double sd = numerics::quadrature({precision, gain});
  estimate.energy = EnergyInterval{interval95({sum.joules, sd}), sd, gain};
  estimate.mean_power = Joules(sum.joules) / estimate.window;
  estimate.resolved = kCoverageFactor95 * precision <= resolve * std::abs(sum.joules);
  if (!estimate.resolved) add_reason(estimate, Reason::uncertainty_above_target);
  add_reason(estimate, Reason::uncalibrated_host);
}

}  // namespace

ScaleUncertainty assumed_accuracy(SourceId source) {
  if (counts_energy(source)) return {.gain = source.scope == Scope::memory ? 0.10 : 0.05};
  const catalogue::BoardPrior board = catalogue::board_prior();
  return {board.gain.standard_uncertainty, board.offset_w.standard_uncertainty, board.correlation};
}

EnergyEstimate estimate_host_energy(const Recording& recording, SourceId source,
                                    const Window& window, double resolve) {
  EnergyEstimate estimate;
  estimate.device = recording.device;
  estimate.window = window.end - window.begin;
  estimate.source = source;
  const Trace* trace = find_trace(recording, source);
  if (!trace || trace->samples.empty()) {
    add_reason(estimate, Reason::no_readings_in_window);
    return estimate;
  }
  if (!(estimate.window.count() > 0)) {
    add_reason(estimate, Reason::window_too_short);
    return estimate;
  }
  if (const auto naive = trace::naive_energy(*trace, window)) {
    estimate.naive_j[to_string(source)] = naive->value();
  }
  const bool counts = counts_energy(source);
  estimate.method = counts ? Method::count_difference : Method::held_means;
  const auto sum =
      counts ? counted(estimate, *trace, window) : summed(estimate, recording, *trace, window);
  if (sum) fill_host(estimate, *sum, resolve);
  const auto& reasons = estimate.reasons;
  estimate.valid = std::none_of(reasons.begin(), reasons.end(), [](Reason reason) {
    return reason == Reason::counter_reset || reason == Reason::gap_in_readings;
  });
  return estimate;
}

}  // namespace truewatt::energy
