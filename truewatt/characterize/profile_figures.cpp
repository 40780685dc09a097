#include "truewatt/characterize/profile_figures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/identification/artefacts/client_cache.hpp"
#include "truewatt/identification/counter/counter_fit.hpp"
#include "truewatt/identification/fit/window_loss.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::characterize {
namespace {

using identification::FitData;
using identification::JointFit;
using identification::Work;
using ticks::Tick;

constexpr std::size_t kFewestIntervals = 4;
constexpr double kBinsPerPeriod = 50.0;
/// Intervals of more than 1.5 periods are shown when so many are.
constexpr double kManyLong = 0.005;

/// Work that lasts so long is one of the experiment's steps (characterize/schedules.hpp).
constexpr double kShortestDrawnStep = 1.25;  // s
constexpr double kBeforeStep = 0.2;
/// So many updates and memories are shown after a step, within these bounds.
constexpr double kUpdatesAfterStep = 6.0;
constexpr double kMemoriesAfterStep = 1.25;
constexpr double kLeastAfterStep = 0.4;  // s
constexpr std::size_t kMostSteps = 8;
constexpr std::size_t kModelPoints = 241;

constexpr std::size_t kMostDrawnReadings = 2500;
constexpr double kPeriodsInView = 30.0;
constexpr double kFilledView = 0.5;    // of the readings that a view may have
constexpr double kShortestView = 1.5;  // s
constexpr double kLongestView = 6.0;

/// The nearest of 1, 2, 5, 10, ... by the logarithm.
double rounded(double value) {
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  double best = decade;
  for (const double step : {2.0, 5.0, 10.0}) {
    const double nearer = std::abs(std::log(step * decade / value));
    if (nearer < std::abs(std::log(best / value))) best = step * decade;
  }
  return best;
}

/// How long a reading remembers what was before, s.
double memory_of(const JointFit& fit) {
  constexpr double kForgotten = 4.0;  // time constants
  const double lag = fit.structure.lag ? std::exp(fit.parameters[identification::kLogLag]) : 0.0;
  return std::exp(fit.parameters[identification::kLogWindow]) + kForgotten * lag;
}

/// Steps of work after idle of at least `memory` seconds, from their begin.
std::vector<Work> steps_of(const std::vector<Work>& work, double memory) {
  std::vector<Work> steps;
  for (std::size_t i = 0; i < work.size() && steps.size() < kMostSteps; ++i) {
    const bool after_idle = i == 0 || work[i].begin - work[i - 1].end >= memory;
    if (work[i].end - work[i].begin >= kShortestDrawnStep && after_idle) steps.push_back(work[i]);
  }
  return steps;
}

StepReadings step_readings(const std::vector<Tick>& ticks, const Work& step, double after) {
  StepReadings readings;
  const double until = std::min(step.begin + after, step.end);
  for (const Tick& tick : ticks) {
    if (tick.time < step.begin - kBeforeStep || tick.time > until) continue;
    readings.since_s.push_back(tick.time - step.begin);
    readings.power_w.push_back(tick.value);
  }
  return readings;
}

StepReadings modelled_step(const JointFit& fit, double after) {
  std::vector<Tick> ticks;
  const double apart = (kBeforeStep + after) / static_cast<double>(kModelPoints - 1);
  for (std::size_t i = 0; i < kModelPoints; ++i) {
    ticks.push_back({-kBeforeStep + static_cast<double>(i) * apart, 0.0, 0.0});
  }
  const std::vector<Work> step{{0.0, 2 * after}};
  StepReadings model{.power_w = identification::readings_of(fit, ticks, step)};
  for (const Tick& tick : ticks) model.since_s.push_back(tick.time);
  return model;
}

std::optional<StepFigure> step_figure(const identification::CharacterizedSource& source,
                                      const std::vector<Tick>& ticks,
                                      const std::vector<Work>& work) {
  StepFigure figure;
  const double memory = source.fit ? memory_of(source.fit->joint) : 1.0;
  const double wanted =
      kUpdatesAfterStep * source.profile.update_period_s->value + kMemoriesAfterStep * memory;
  const double after = std::clamp(wanted, kLeastAfterStep, kShortestDrawnStep);
  const double fitted_from = source.readings.empty() ? 0.0 : source.readings.front().time;
  for (const Work& step : steps_of(work, std::max(memory, kBeforeStep))) {
    StepReadings readings = step_readings(ticks, step, after);
    readings.fitted = source.fit && step.begin >= fitted_from;
    if (!readings.since_s.empty()) figure.steps.push_back(std::move(readings));
  }
  if (figure.steps.empty()) return std::nullopt;
  if (source.fit) figure.model = modelled_step(source.fit->joint, after);
  return figure;
}

/// The fit's parameters at these readings, with the linear ones solved for anew.
JointFit at_readings(const JointFit& fit, const FitData& data) {
  return identification::fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
}

std::ptrdiff_t readings_in(const Reconstruction& drawn, const LoadStretch& view) {
  return std::count_if(drawn.readings.begin(), drawn.readings.end(), [&view](const auto& one) {
    return view.begin_s <= one.t_s && one.t_s <= view.end_s;
  });
}

/// From random work on, so long that single readings are told apart: the first work beside which
/// the source was read without a pause, else that beside which it was read most.
LoadStretch first_view(const std::vector<Work>& work, const Reconstruction& drawn, double period) {
  const double length = std::clamp(kPeriodsInView * period, kShortestView, kLongestView);
  const double first = drawn.readings.front().t_s;
  const double last = drawn.readings.back().t_s;
  const double most = kFilledView * std::min(length, last - first) / period;
  const auto view_from = [&](double at) {
    const double begin = std::max(std::min(at, last - length), first);
    return LoadStretch{begin, std::min(begin + length, last)};
  };
  LoadStretch best = view_from(first);
  for (const Work& one : work) {
    if (one.begin < first || one.end - one.begin >= kShortestDrawnStep) continue;
    if (static_cast<double>(readings_in(drawn, best)) >= most && best.begin_s > first) break;
    const LoadStretch view = view_from(one.begin);
    if (readings_in(drawn, view) > readings_in(drawn, best) || best.begin_s == first) best = view;
  }
  return best;
}

Reconstruction reconstruction_of(const JointFit& fit, const FitData& data, double period,
                                 const std::vector<Work>& work) {
  const JointFit here = at_readings(fit, data);
  Reconstruction drawn{.fitted = data.readings.size(), .rms_w = identification::rms_of(here)};
  const std::size_t count = std::min(data.readings.size(), kMostDrawnReadings);
  for (std::size_t k = 0; k < count; ++k) {
    const Tick& tick = data.readings[k];
    drawn.readings.push_back({tick.time, tick.value, tick.value - here.residuals[k]});
  }
  if (drawn.readings.empty()) return drawn;
  for (const Work& one : work) {
    const bool inside =
        one.end >= drawn.readings.front().t_s && one.begin <= drawn.readings.back().t_s;
    if (inside) drawn.load.push_back({one.begin, one.end});
  }
  drawn.view = first_view(work, drawn, period);
  return drawn;
}

LossCurve loss_curve(const FitData& data, const JointFit& fit, const std::vector<double>& windows,
                     bool lag) {
  using identification::SensorLag;
  identification::Structure structure = fit.structure;
  structure.lag = lag;
  LossCurve curve{.name = identification::name_of(structure)};
  for (const auto& loss : identification::loss_by_window(
           data, fit, windows, lag ? SensorLag::with : SensorLag::without)) {
    curve.points.push_back({loss.window_s, loss.rms_w});
  }
  return curve;
}

void add_fit(SourceFigures& figures, const identification::CharacterizedSource& source,
             const std::vector<Work>& work) {
  const JointFit& fit = source.fit->joint;
  const double period = source.profile.update_period_s->value;
  const auto readings = identification::well_located(source.readings);
  const FitData data{readings, work};
  figures.reconstruction = reconstruction_of(fit, data, period, work);
  figures.window_s = source.fit->averaging_window;
  const auto windows =
      identification::windows_to_try(std::exp(fit.parameters[identification::kLogWindow]), period);
  for (const bool lag : {fit.structure.lag, !fit.structure.lag}) {
    figures.losses.push_back(loss_curve(data, fit, windows, lag));
  }
  for (auto& one : identification::alternatives_of(data, *source.fit)) {
    figures.structures.push_back({std::move(one.name), one.chosen, one.rms_w, one.bic_above});
  }
}

SourceFigures figures_of(const identification::CharacterizedSource& source, const Trace& trace,
                         const identification::Characterization& characterization) {
  SourceFigures figures{.source = source.profile.source};
  if (!source.profile.update_period_s) return figures;
  auto ticks = identification::publications_of(trace, characterization.origin, source.profile);
  const double period = source.profile.update_period_s->value;
  figures.intervals = interval_histogram(ticks, period);
  if (counts_energy(source.profile.source)) ticks = identification::increments(ticks, period);
  figures.steps = step_figure(source, ticks, characterization.work);
  if (source.fit) add_fit(figures, source, characterization.work);
  return figures;
}

}  // namespace

std::optional<IntervalHistogram> interval_histogram(const std::vector<Tick>& ticks,
                                                    double update_period_s) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    if (ticks[i].follows) intervals.push_back(ticks[i].time - ticks[i - 1].time);
  }
  if (intervals.size() < kFewestIntervals) return std::nullopt;
  const auto share = [&](auto matches) {
    return static_cast<double>(std::count_if(intervals.begin(), intervals.end(), matches)) /
           static_cast<double>(intervals.size());
  };
  const double period = update_period_s;
  const bool some_short = share([=](double x) { return x < 0.5 * period; }) > kManyLong;
  const bool some_long = share([=](double x) { return x > 1.5 * period; }) > kManyLong;
  IntervalHistogram histogram{.bin_s = rounded(period / kBinsPerPeriod)};
  const double bin = histogram.bin_s;
  // The period is the middle of a bin.
  const double before = std::floor((some_short ? 1.0 : 0.5) * period / bin);
  histogram.first_s = period - (before + 0.5) * bin;
  const double last = (some_long ? 2.5 : 1.5) * period;
  histogram.counts.resize(static_cast<std::size_t>(std::ceil((last - histogram.first_s) / bin)));
  for (const double interval : intervals) {
    const double place = std::floor((interval - histogram.first_s) / bin);
    if (place < 0 || place >= static_cast<double>(histogram.counts.size())) {
      ++histogram.outside;
    } else {
      ++histogram.counts[static_cast<std::size_t>(place)];
    }
  }
  histogram.median_s = *numerics::median(std::move(intervals));
  return histogram;
}

ProfileFigures figures_of(const identification::Characterization& characterization) {
  ProfileFigures figures{.profile = characterization.profile};
  const auto& traces = characterization.recording.traces;
  for (const identification::CharacterizedSource& source : characterization.sources) {
    const auto trace = std::find_if(traces.begin(), traces.end(), [&](const Trace& one) {
      return one.source == source.profile.source;
    });
    if (trace == traces.end()) continue;
    figures.sources.push_back(figures_of(source, *trace, characterization));
  }
  return figures;
}

}  // namespace truewatt::characterize
