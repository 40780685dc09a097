#include "truewatt/energy/former/joint_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "truewatt/energy/former/idle_reach.hpp"
#include "truewatt/energy/former/relative_gain.hpp"
#include "truewatt/energy/former/stray_readings.hpp"
#include "truewatt/energy/former/view_readings.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Idle that is looked at before the work: the margin that loads keep, and its begin. After it: a
/// little less than the margin.
constexpr double kIdleBefore = 1.05;  // s
constexpr double kIdleAfter = 0.95;   // s
/// Idle drifts slowly by this share of the step.
constexpr double kDrift = 0.003;
constexpr double kDriftTime = 2.0;  // s
/// A counter's count at its first tick, J: anything.
constexpr double kCount = 1e3;
/// No tick is known better.
constexpr double kFinestAge = 20e-6;  // s
constexpr std::size_t kFewestReadings = 8;
/// More, as of 20 minutes of an H200, would take over ten seconds.
constexpr std::size_t kMostReadings = 100000;
constexpr std::size_t kFewestOfOne = 3;

/// After a break as long as this, longer than any correlation time, work is random anew.
constexpr double kLongBreak = 0.4;  // s

bool is_ring(const SourceView& view) { return view.source.kind == SourceKind::power_samples; }

/// The load without its long breaks.
std::vector<Span> without_breaks(const WorkTimes& work, Span load) {
  std::vector<Span> busy = {{load.begin, work.stints.front().end}};
  for (const Stint& stint : work.stints) {
    if (stint.begin - busy.back().end >= kLongBreak) busy.push_back({stint.begin, stint.end});
    busy.back().end = std::max(busy.back().end, stint.end);
  }
  busy.back().end = load.end;
  return busy;
}

}  // namespace

JointProblem::JointProblem(std::vector<SourceView> views, WorkTimes work, Span window,
                           bool informed)
    : views_(std::move(views)),
      work_(std::move(work)),
      window_(window),
      load_{std::min(window.begin, work_.begin()), std::max(window.end, work_.end())},
      informed_(informed),
      busy_(informed ? without_breaks(work_, load_) : std::vector<Span>{load_}) {
  find_reach();
  select_readings();
  find_scales();
  if (can_be_solved()) build({});
}

bool JointProblem::can_be_solved() const {
  std::size_t readings = 0;
  for (const SourceView& view : views_) readings += view.ticks.size();
  return readings >= kFewestReadings && readings <= kMostReadings && scales_.step_w > 0;
}

/// Where readings look: at idle on both sides, as far as it is steady, and where every source
/// remembers long as far as the soonest to forget does.
void JointProblem::find_reach() {
  double longest = std::numeric_limits<double>::infinity();
  for (const SourceView& view : views_) {
    const double idle = kPeriodsOfIdle * view.model.update_period.count();
    longest = std::min(longest, sees_idle(view, kIdleAfter) ? 0.0 : memory_of(view.model) + idle);
  }
  const double before = idle_reach(views_, IdleSide::before, load_.begin, kIdleBefore);
  const double after = idle_reach(views_, IdleSide::after, load_.end, kIdleAfter);
  scales_.steady_before = before > kIdleBefore;
  scales_.steady_after = after > kIdleAfter;
  from_ = std::max(work_.since, load_.begin - before - longest);
  to_ = std::min(work_.until, load_.end + after + longest);
}

/// Readings that look at nothing outside the reach.
void JointProblem::select_readings() {
  for (SourceView& view : views_) {
    std::erase_if(view.ticks, [&](const ticks::Tick& tick) {
      const double last = tick.time - view.model.delay.count();
      return last - view.model.averaging_window.count() < from_ || last > to_;
    });
    view.noise_sd = scatter_of(view, load_.begin, load_.end);
    if (!counts_energy(view.source) || view.ticks.empty()) continue;
    const double first = view.ticks.front().value;
    for (ticks::Tick& tick : view.ticks) tick.value -= first;
  }
  std::erase_if(views_, [](const SourceView& view) { return view.ticks.size() < kFewestOfOne; });
}

void JointProblem::find_scales() {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const SourceView& view : views_) {
    for (std::size_t k = counts_energy(view.source) ? 1 : 0; k < view.ticks.size(); ++k) {
      const double power = power_at(view, k);
      if (!std::isfinite(power)) continue;  // two ticks at one place of the grid
      least = std::min(least, power);
      most = std::max(most, power);
    }
  }
  scales_.from = from_;
  scales_.to = to_;
  scales_.begin = load_.begin;
  scales_.end = load_.end;
  scales_.idle_w = std::abs(least);
  scales_.step_w = most - least;
}

std::vector<std::vector<RandomPart>> JointProblem::candidates() const {
  static constexpr std::array kTimesKnown{0.01, 0.3};  // s
  static constexpr std::array kTimesUnknown{0.004, 0.02, 0.1, 0.5};
  static constexpr std::array kSharesKnown{0.002, 0.006, 0.02, 0.06, 0.18};  // of the step
  static constexpr std::array kSharesUnknown{0.01, 0.03, 0.1, 0.25, 0.5, 0.8};
  std::vector<std::vector<RandomPart>> all;
  const auto add = [&](const auto& times, const auto& shares) {
    for (const double time : times) {
      all.emplace_back();
      for (const double share : shares) all.back().push_back({share * scales_.step_w, time});
    }
  };
  if (informed_) {
    add(kTimesKnown, kSharesKnown);
  } else {
    add(kTimesUnknown, kSharesUnknown);
  }
  return all;
}

const KrigingProblem& JointProblem::with(const RandomPart& random) {
  problem_.fluctuations = {
      {random.sd_w, random.correlation_s, busy_},
      {kDrift * scales_.step_w, kDriftTime, {{from_, to_ + kIdleAfter}}},
  };
  return problem_;
}

void JointProblem::learn_heights() {
  // Readings that stray do not all show at once.
  const bool may_stray = informed_ && std::any_of(views_.begin(), views_.end(), is_ring);
  const int rounds = may_stray ? 4 : 2;
  const RandomPart usual =
      informed_ ? RandomPart{0.02 * scales_.step_w, 0.3} : RandomPart{0.25 * scales_.step_w, 0.1};
  for (int round = 0; round < rounds; ++round) {
    const KrigingSolution found = solve(with(usual));
    const auto parts = static_cast<Index>(parts_.size());
    const Heights heights{found.coefficients.head(parts),
                          found.covariance.diagonal().head(parts).cwiseMax(0.0).cwiseSqrt()};
    learn_kinds(heights);
    if (round > 0 && round < rounds - 1) find_astray(found);
    if (round == rounds - 1) weigh_sources(found);
    build(heights);
  }
}

/// Watts above idle of every kind of work, as high as it may be: what nobody saw may rise slowly.
void JointProblem::learn_kinds(const Heights& heights) {
  Uncertain common;
  std::vector<Uncertain> kinds;
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const auto column = static_cast<Index>(j);
    const Uncertain height{heights.value(column), heights.sd(column)};
    if (parts_[j].role == PowerPart::Role::work) common = height;
    if (parts_[j].role == PowerPart::Role::kind) kinds.push_back(height);
  }
  if (kinds.empty()) kinds.emplace_back();
  scales_.heights_w.clear();
  for (const Uncertain& kind : kinds) {
    scales_.heights_w.push_back(
        numerics::quadrature({common.value + kind.value,
                              std::max(common.standard_uncertainty, kind.standard_uncertainty)}));
  }
  const double highest = *std::max_element(scales_.heights_w.begin(), scales_.heights_w.end());
  if (highest >= scales_.step_w || !(highest > 0)) return;
  for (double& height : scales_.heights_w) height *= scales_.step_w / highest;
}

/// Readings of a ring that are of another time than their tick.
void JointProblem::find_astray(const KrigingSolution& found) {
  std::size_t first = 0;
  for (SourceView& view : views_) {
    const std::size_t n = view.ticks.size();
    if (is_ring(view)) {
      const std::span readings = std::span(problem_.readings).subspan(first, n);
      const std::span predicted = std::span(predicted_).subspan(first, n);
      const std::span innovations = std::span(found.innovations).subspan(first, n);
      auto astray = stray_readings(view.astray, readings, predicted, innovations);
      if (!astray.empty()) view.astray = std::move(astray);
    }
    first += n;
  }
}

/// Readings that stray more from the model than their noise explains are worth less.
void JointProblem::weigh_sources(const KrigingSolution& found) {
  std::size_t first = 0;
  for (SourceView& view : views_) {
    double squares = 0.0;
    for (std::size_t k = 0; k < view.ticks.size(); ++k) {
      squares += found.innovations[first + k] * found.innovations[first + k];
    }
    first += view.ticks.size();
    view.strays = std::max(1.0, squares / static_cast<double>(view.ticks.size()));
  }
}

void JointProblem::list_nuisances(const Heights& heights) {
  using enum Nuisance::Kind;
  nuisances_.clear();
  const SourceView& believed = views_.front();
  for (std::size_t s = 0; s < views_.size(); ++s) {
    const SourceView& view = views_[s];
    const auto list = [&](Nuisance::Kind kind, double sd) {
      if (sd > 0) nuisances_.push_back({.source = s, .kind = kind, .sd = sd});
    };
    list(age, view.age_sd);
    list(window, view.window_sd);
    list(lag, view.lag_sd);
    if (view.gap) {
      list(gap_begin, view.gap->begin_sd);
      list(gap_length, view.gap->length_sd);
    }
    if (counts_energy(view.source)) {
      list(count, kCount);
    }
    const auto waves = informed_ ? waves_of(view) : std::vector<Wave>{};
    for (const Wave& wave : waves)
      nuisances_.push_back({.source = s, .kind = edges, .sd = wave.sd, .wave = wave});
    if (s == 0) continue;
    // Before the first solution nothing is predicted that a gain could act on.
    const RelativeGain relative =
        heights.value.size() > 0 ? relative_gain(believed, view) : stated_gain(believed, view);
    nuisances_.push_back({.source = s,
                          .kind = gain,
                          .sd = relative.gain_sd,
                          .mean = relative.gain - 1,
                          .pivot_w = relative.pivot_w});
    nuisances_.push_back(
        {.source = s, .kind = offset, .sd = relative.offset_sd, .mean = relative.offset_w});
  }
}

/// Columns of the parts, and those of the nuisances for the heights found before, if any.
void JointProblem::build(const Heights& heights) {
  parts_ = power_parts(work_, scales_);
  edges_ = edges_of(work_, parts_, heights.value, scales_.step_w);
  list_nuisances(heights);
  const auto parts = static_cast<Index>(parts_.size());
  const auto columns = parts + static_cast<Index>(nuisances_.size());
  Index rows = 0;
  for (const SourceView& view : views_) rows += static_cast<Index>(view.ticks.size());
  noise_.clear();
  predicted_.clear();
  problem_ = {};
  problem_.begin = window_.begin;
  problem_.end = window_.end;
  problem_.columns = Matrix::Zero(rows, columns);
  problem_.prior = Vector::Zero(columns);
  problem_.prior_sd = Vector::Zero(columns);
  problem_.energy = Vector::Zero(columns);
  for (Index j = 0; j < parts; ++j) {
    const PowerPart& part = parts_[static_cast<std::size_t>(j)];
    problem_.prior_sd(j) = part.prior_sd;
    problem_.energy(j) = part.course.integral(window_.end) - part.course.integral(window_.begin);
  }
  for (Index n = parts; n < columns; ++n) {
    const Nuisance& nuisance = nuisances_[static_cast<std::size_t>(n - parts)];
    problem_.prior(n) = nuisance.mean;
    problem_.prior_sd(n) = nuisance.sd;
  }
  Index first = 0;
  for (std::size_t s = 0; s < views_.size(); ++s) {
    const Slopes slopes = fill_parts(views_[s], first, heights);
    predicted_.insert(predicted_.end(), slopes.reading.begin(), slopes.reading.end());
    fill_nuisances(s, first, slopes);
    add_readings(s, slopes);
    first += static_cast<Index>(views_[s].ticks.size());
  }
}

JointProblem::Slopes JointProblem::fill_parts(const SourceView& view, Index first,
                                              const Heights& heights) {
  const auto n = static_cast<Index>(view.ticks.size());
  Slopes slopes{Vector::Zero(n), Vector::Zero(n), Vector::Zero(n), Vector::Zero(n), Vector::Zero(n),
                Vector::Zero(n), Vector::Zero(n), Vector::Zero(n), Vector::Zero(n)};
  // Over a standard uncertainty to either side: where a window ends at an edge of the work the
  // tangent is another on each.
  const double aside = std::max(view.age_sd, kFinestAge);
  SourceView earlier = view;
  SourceView later = view;
  earlier.model.delay += Seconds(aside);
  later.model.delay -= Seconds(aside);
  SourceView slower = view;
  const double step = std::max(0.01 * view.model.time_constant.count(), 1e-5);
  slower.model.time_constant += Seconds(step);
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const auto column = static_cast<Index>(j);
    const auto responses = responses_of(view, parts_[j].course, from_);
    const double height = heights.value.size() ? heights.value(column) : 0.0;
    const double doubt = heights.sd.size() ? heights.sd(column) : parts_[j].prior_sd;
    for (Index k = 0; k < n; ++k) {
      problem_.columns(first + k, column) = responses[static_cast<std::size_t>(k)].reading;
    }
    const auto before = responses_of(earlier, parts_[j].course, from_);
    const auto after = responses_of(later, parts_[j].course, from_);
    for (Index k = 0; k < n; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double both = after[i].reading + before[i].reading;
      slopes.by_time(k) += height * (after[i].reading - before[i].reading) / (2 * aside);
      if (!view.sums) slopes.bend(k) += height * (both / 2 - responses[i].reading);
      // Of a sum a tick moves the last look, and none of those before.
      const double by_tick =
          view.sums ? responses[i].by_time : (after[i].reading - before[i].reading) / (2 * aside);
      slopes.by_tick(k) += height * by_tick;
      slopes.doubt(k) += std::pow(doubt * by_tick, 2);
      slopes.by_window(k) += height * responses[i].by_window;
      slopes.reading(k) += height * responses[i].reading;
    }
    if (height == 0.0) continue;
    const auto add_slope = [&](Vector& slope, const SourceView& moved, double by) {
      const auto other = responses_of(moved, parts_[j].course, from_);
      for (Index k = 0; k < n; ++k) {
        const auto i = static_cast<std::size_t>(k);
        slope(k) += height * (other[i].reading - responses[i].reading) / by;
      }
    };
    if (view.lag_sd > 0) add_slope(slopes.by_lag, slower, step);
    if (!view.gap) continue;
    SourceView moved = view;
    moved.gap->begin += view.gap->begin_sd;
    add_slope(slopes.by_gap_begin, moved, view.gap->begin_sd);
    moved = view;
    moved.gap->length += view.gap->length_sd;
    add_slope(slopes.by_gap_length, moved, view.gap->length_sd);
  }
  return slopes;
}

void JointProblem::fill_nuisances(std::size_t source, Index first, const Slopes& slopes) {
  const SourceView& view = views_[source];
  const bool counter = counts_energy(view.source);
  for (std::size_t i = 0; i < nuisances_.size(); ++i) {
    if (nuisances_[i].source != source) continue;
    const auto column = static_cast<Index>(parts_.size() + i);
    const bool waves = nuisances_[i].kind == Nuisance::Kind::edges;
    const Vector edges = waves ? edges_seen(view, nuisances_[i].wave, edges_, from_) : Vector();
    for (std::size_t k = 0; k < view.ticks.size(); ++k) {
      const auto row = static_cast<Index>(k);
      const ticks::Tick& tick = view.ticks[k];
      const double steady = counter ? tick.time - from_ : 1.0;  // a reading of 1 W
      double& cell = problem_.columns(first + row, column);
      switch (nuisances_[i].kind) {
        case Nuisance::Kind::age:
          cell = -slopes.by_time(row);
          break;
        // At the same age the delay is shorter by what window and lag are longer; the age may go
        // with the lag.
        case Nuisance::Kind::window:
          cell = slopes.by_window(row) + slopes.by_time(row) / 2;
          break;
        case Nuisance::Kind::lag:
          cell = slopes.by_lag(row) + (1 - view.age_by_lag) * slopes.by_time(row);
          break;
        case Nuisance::Kind::gap_begin:
          cell = slopes.by_gap_begin(row);
          break;
        case Nuisance::Kind::gap_length:
          cell = slopes.by_gap_length(row);
          break;
        case Nuisance::Kind::gain:
          // What is predicted, not what was read: noise must not choose the gain.
          cell = slopes.reading(row) - nuisances_[i].pivot_w * steady;
          break;
        case Nuisance::Kind::offset:
          cell = steady;
          break;
        case Nuisance::Kind::count:
          cell = 1.0;
          break;
        case Nuisance::Kind::edges:
          cell = edges(row);
          break;
      }
    }
  }
}

void JointProblem::add_readings(std::size_t source, const Slopes& slopes) {
  const SourceView& view = views_[source];
  problem_.sources.push_back({view.model.time_constant.count(), view.sums});
  for (std::size_t k = 0; k < view.ticks.size(); ++k) {
    const ticks::Tick& tick = view.ticks[k];
    const auto row = static_cast<Index>(k);
    // What is not known to have run shows in the readings alone.
    const double slope =
        informed_ ? numerics::quadrature({slopes.by_tick(row), std::sqrt(slopes.doubt(row))})
                  : slope_at(view, k);
    const double jitter =
        numerics::quadrature({slope * tick.time_sd, informed_ ? slopes.bend(row) : 0.0});
    const double times = view.strays * (view.astray.empty() ? 1.0 : view.astray[k]);
    const ReadingNoise noise{times * view.noise_sd * view.noise_sd, times * jitter * jitter,
                             times * view.quantum * view.quantum / 12};
    noise_.push_back(noise);
    problem_.readings.push_back(
        {source, looks_at(view, k), tick.value, noise.scatter + noise.ticks + noise.quantum});
  }
}

}  // namespace truewatt::energy
