#include "truewatt/measure/estimate_figures.hpp"

#include "truewatt/energy/estimate/phase_histogram.hpp"
#include "truewatt/replication/readers/power_readings.hpp"

namespace truewatt::measure {
namespace {

/// Windows whose power is drawn.
constexpr std::size_t kMostPowers = 4;
/// A formula of neighbouring readings needs so many of them within the lag.
constexpr double kReadingsInLag = 4.0;
constexpr double kBeside = 2.0;  // s
constexpr std::size_t kMostFigureReadings = 4000;

std::optional<CorrectedPower> corrected_power(const Recording& recording,
                                              const SourceProfile& profile,
                                              const std::vector<EstimatedWindow>& windows) {
  const Trace* trace = find_trace(recording, profile.source);
  const bool lags =
      profile.time_constant_s && profile.update_period_s &&
      profile.time_constant_s->value > kReadingsInLag * profile.update_period_s->value;
  if (trace == nullptr || counts_energy(profile.source) || !lags) return std::nullopt;
  const HostTime origin = windows.front().window.begin;
  const auto readings = replication::new_readings(*trace, origin, profile.update_period_s->value);
  const auto power = replication::corrected(readings, profile.time_constant_s->value);
  CorrectedPower drawn{.source = profile.source};
  const double to = seconds_between(origin, windows.back().window.end) + kBeside;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (readings[i].time < -kBeside || readings[i].time > to) continue;
    drawn.t_s.push_back(readings[i].time);
    drawn.reading_w.push_back(readings[i].value);
    drawn.corrected_w.push_back(power[i].value);
  }
  if (drawn.t_s.empty() || drawn.t_s.size() > kMostFigureReadings) return std::nullopt;
  return drawn;
}

}  // namespace

EstimateFigures estimate_figures(const Recording& recording,
                                 const energy::EnergyEstimator& estimator,
                                 const std::vector<EstimatedWindow>& windows,
                                 const energy::Knowledge& knowledge) {
  EstimateFigures figures;
  if (!knowledge.profile || windows.empty()) return figures;
  const HostTime origin = windows.front().window.begin;
  figures.origin = origin;
  for (std::size_t i = 0; i < std::min(windows.size(), kMostPowers); ++i) {
    figures.powers.emplace_back();
    if (windows[i].method != energy::Method::smoothing) continue;
    figures.powers.back() = estimator.power(windows[i].window, origin);
  }
  for (const SourceProfile& profile : knowledge.profile->sources) {
    auto drawn = corrected_power(recording, profile, windows);
    if (drawn) figures.corrected.push_back(std::move(*drawn));
  }
  figures.phases = energy::phase_histograms(recording, windows.front().window, knowledge);
  return figures;
}

}  // namespace truewatt::measure
