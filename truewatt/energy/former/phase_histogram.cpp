#include "truewatt/energy/former/phase_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "truewatt/energy/former/source_view.hpp"
#include "truewatt/energy/former/view_readings.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::energy {
namespace {

constexpr std::size_t kBins = 50;
/// Points of time in a bin.
constexpr int kWithin = 4;
constexpr std::size_t kFewestUpdates = 10;
constexpr double kMostPeriods = 20.0;
/// Work that ran all the time has no phase.
constexpr double kAlways = 0.999;

/// Share of a reading that is at most `age` old, through a boxcar behind a lag and a delay.
double share_until(const ObservationModel& model, double age) {
  const double window = model.averaging_window.count();
  const double lag = model.time_constant.count();
  // Integral of the lag's answer to a step; the window is its difference quotient.
  const auto ramp = [lag](double x) {
    if (x <= 0) return 0.0;
    return lag > 0 ? x + lag * std::expm1(-x / lag) : x;
  };
  const double since = age - model.delay.count();
  if (window > 0) return (ramp(since) - ramp(since - window)) / window;
  if (since <= 0) return 0.0;
  return lag > 0 ? -std::expm1(-since / lag) : 1.0;
}

std::vector<double> looks_of(const ObservationModel& model) {
  const double period = model.update_period.count();
  std::vector<double> looks(kBins, 0.0);
  const double bin = period / kBins;
  const double oldest = memory_of(model) + std::abs(model.delay.count()) + period;
  // A delay below zero, of a fit or of a stamp that comes early, looks ahead.
  const double ahead = std::ceil(std::max(0.0, -model.delay.count()) / period);
  double before = 0.0;
  for (std::size_t i = 0; static_cast<double>(i) * bin < oldest + ahead * period; ++i) {
    const double until = share_until(model, static_cast<double>(i + 1) * bin - ahead * period);
    looks[i % kBins] += (until - before) * kBins;
    before = until;
  }
  return looks;
}

struct Work {
  double begin = 0.0;
  double end = 0.0;
};

/// In order of time, those that meet as one.
std::vector<Work> joined(std::vector<Work> work) {
  std::sort(work.begin(), work.end(),
            [](const Work& a, const Work& b) { return a.begin < b.begin; });
  std::vector<Work> joined;
  for (const Work& one : work) {
    if (!joined.empty() && one.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, one.end);
    } else {
      joined.push_back(one);
    }
  }
  return joined;
}

bool ran_at(const std::vector<Work>& work, double time) {
  const auto after = std::upper_bound(work.begin(), work.end(), time,
                                      [](double t, const Work& one) { return t < one.begin; });
  return after != work.begin() && time < std::prev(after)->end;
}

}  // namespace

std::vector<PhaseHistogram> phase_histograms(const Recording& recording, const Window& window,
                                             const Knowledge& knowledge) {
  std::vector<PhaseHistogram> histograms;
  if (recording.activity.empty()) return histograms;
  std::vector<Work> work;
  for (const ActivityInterval& one : recording.activity) {
    work.push_back(
        {seconds_between(window.begin, one.begin), seconds_between(window.begin, one.end)});
  }
  work = joined(std::move(work));
  const double first = std::max(work.front().begin, 0.0);
  const double last = std::min(work.back().end, seconds_between(window.begin, window.end));
  for (const SourceView& view : source_views(recording, knowledge, window.begin)) {
    const double period = view.model.update_period.count();
    if (counts_energy(view.source) || memory_of(view.model) > kMostPeriods * period) continue;
    PhaseHistogram histogram{.source = view.source, .update_period_s = period};
    histogram.work.assign(kBins, 0.0);
    for (const ticks::Tick& tick : view.ticks) {
      if (tick.time - period < first || tick.time > last) continue;
      ++histogram.readings;
      for (std::size_t i = 0; i < kBins * kWithin; ++i) {
        const double age = (static_cast<double>(i) + 0.5) * period / (kBins * kWithin);
        if (ran_at(work, tick.time - age)) histogram.work[i / kWithin] += 1.0 / kWithin;
      }
    }
    if (histogram.readings < kFewestUpdates) continue;
    for (double& share : histogram.work) share /= static_cast<double>(histogram.readings);
    histogram.looks = looks_of(view.model);
    histogram.ran = numerics::mean(histogram.work);
    if (histogram.ran > kAlways) continue;
    histogram.seen = std::inner_product(histogram.work.begin(), histogram.work.end(),
                                        histogram.looks.begin(), 0.0) /
                     kBins;
    histograms.push_back(std::move(histogram));
  }
  return histograms;
}

}  // namespace truewatt::energy
