#include "truewatt/identification/fit/window_loss.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace truewatt::identification {
namespace {

constexpr std::size_t kMostLossReadings = 900;
constexpr int kLossIterations = 10;
constexpr int kFreeIterations = 20;
/// Shorter than this no window is told from a point sample.
constexpr double kNoWindow = 0.2e-3;  // s
constexpr double kFirstLag = 0.01;

std::vector<ticks::Tick> thinned(const std::vector<ticks::Tick>& readings) {
  if (readings.size() <= kMostLossReadings) return readings;
  std::vector<ticks::Tick> kept;
  for (std::size_t i = 0; i < kMostLossReadings; ++i) {
    kept.push_back(readings[i * readings.size() / kMostLossReadings]);
  }
  return kept;
}

Structure structure_for(const JointFit& fit, SensorLag lag) {
  Structure structure = fit.structure;
  if (lag != SensorLag::as_fitted) structure.lag = lag == SensorLag::with;
  return structure;
}

/// The fitted parameters as a start for `structure`; a window stands in for a filter that is gone
/// by spreading and delaying a signal as much.
Parameters start_of(const JointFit& fit, const Structure& structure) {
  Parameters start = fit.parameters;
  if (structure.lag && !fit.structure.lag) start[kLogLag] = std::log(kFirstLag);
  if (structure.slow_rise && !fit.structure.slow_rise) start[kLogRise] = std::log(kFirstLag);
  if (structure.lag || !fit.structure.lag) return clamped(start);
  const double window = std::exp(fit.parameters[kLogWindow]);
  const double lag = std::exp(fit.parameters[kLogLag]);
  const double instead = std::sqrt(window * window + 12 * lag * lag);
  start[kLogWindow] = std::log(instead);
  start[kDelay] += window / 2 + lag - instead / 2;
  return clamped(start);
}

/// One window held after the other, away from where the search begins.
class Walk {
 public:
  Walk(const FitData& data, const JointFit& best) : data_(data), best_(best) {
    from_ = best.parameters;
  }

  WindowLoss at(double window) {
    from_[kLogWindow] = std::log(window);
    const JointFit held =
        fit_from(data_, best_.structure, from_, best_.noise_sd_w, kLossIterations, kLogWindow);
    from_ = held.parameters;
    return {window, rms_of(held), held.cost};
  }

 private:
  const FitData& data_;
  const JointFit& best_;
  Parameters from_{};
};

/// A structure and whether its window is held so short that there is none.
struct LossCandidate {
  std::string name;
  Structure structure;
  bool window = true;
};

/// With sensor's lag and board's rise or without; of the rest what the chosen structure has.
std::vector<LossCandidate> candidates(const FitData& data, const Structure& chosen) {
  const auto with = [&chosen](bool lag, bool slow_rise) {
    return Structure{lag, slow_rise, chosen.overshoot, chosen.warmth};
  };
  std::vector<LossCandidate> all{{"point samples", with(false, false), false},
                                 {name_of(with(false, false)), with(false, false)},
                                 {"filter alone", with(true, false), false},
                                 {name_of(with(true, false)), with(true, false)}};
  if (data.measured) return all;
  for (const bool lag : {false, true}) all.push_back({name_of(with(lag, true)), with(lag, true)});
  return all;
}

/// The best start known for a candidate: its own structure's fit, else the chosen one.
Parameters start_of(const ObservationFit& fit, const LossCandidate& candidate) {
  const auto own =
      std::find_if(fit.structures.begin(), fit.structures.end(),
                   [&](const JointFit& other) { return other.structure == candidate.structure; });
  const bool chosen = fit.joint.structure == candidate.structure;
  Parameters start = chosen || own == fit.structures.end()
                         ? start_of(fit.joint, candidate.structure)
                         : own->parameters;
  if (!candidate.window) start[kLogWindow] = std::log(kNoWindow);
  return start;
}

}  // namespace

double rms_of(const JointFit& fit) {
  double sum = 0.0;
  for (const double residual : fit.residuals) sum += residual * residual;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(fit.residuals.size(), 1)));
}

std::string name_of(const Structure& structure) {
  std::string name = structure.lag ? "window and filter" : "window alone";
  if (structure.slow_rise) name += ", slow board";
  return name;
}

std::vector<double> windows_to_try(double fitted_window_s, double update_period_s,
                                   std::size_t count) {
  const double least = std::max(kNoWindow, std::min(update_period_s / 20, fitted_window_s / 3));
  const double most =
      std::min(kLongestWindow, std::max(1.6 * update_period_s, 3 * fitted_window_s));
  std::vector<double> windows;
  const double steps = static_cast<double>(std::max<std::size_t>(count, 2) - 1);
  for (std::size_t i = 0; i < count; ++i) {
    windows.push_back(least * std::pow(most / least, static_cast<double>(i) / steps));
  }
  const double fitted = std::clamp(fitted_window_s, least, most);
  const auto nearest =
      std::min_element(windows.begin(), windows.end(), [fitted](double a, double b) {
        return std::abs(std::log(a / fitted)) < std::abs(std::log(b / fitted));
      });
  if (nearest != windows.end()) *nearest = fitted;
  return windows;
}

std::vector<WindowLoss> loss_by_window(const FitData& data, const JointFit& fit,
                                       std::span<const double> windows, SensorLag lag) {
  const std::vector<ticks::Tick> readings = thinned(well_located(data.readings));
  const FitData some{readings, data.work, data.measured};
  const Structure structure = structure_for(fit, lag);
  const JointFit best =
      fit_from(some, structure, start_of(fit, structure), fit.noise_sd_w, kFreeIterations);
  const double fitted = std::exp(best.parameters[kLogWindow]);
  std::vector<WindowLoss> losses(windows.size());
  const auto above = static_cast<std::size_t>(
      std::lower_bound(windows.begin(), windows.end(), fitted) - windows.begin());
  Walk up(some, best);
  for (std::size_t i = above; i < windows.size(); ++i) losses[i] = up.at(windows[i]);
  Walk down(some, best);
  for (std::size_t i = above; i-- > 0;) losses[i] = down.at(windows[i]);
  const auto least =
      std::min_element(losses.begin(), losses.end(),
                       [](const auto& a, const auto& b) { return a.excess_cost < b.excess_cost; });
  const double cost = least == losses.end() ? 0.0 : least->excess_cost;
  for (WindowLoss& loss : losses) loss.excess_cost -= cost;
  return losses;
}

std::vector<Alternative> alternatives_of(const FitData& data, const ObservationFit& fit) {
  const std::vector<ticks::Tick> readings = well_located(data.readings);
  const FitData usable{readings, data.work, data.measured};
  std::vector<Alternative> alternatives;
  double least = std::numeric_limits<double>::infinity();
  for (const LossCandidate& candidate : candidates(data, fit.joint.structure)) {
    const auto held = candidate.window ? std::nullopt : std::optional(kLogWindow);
    const JointFit fitted = fit_from(usable, candidate.structure, start_of(fit, candidate),
                                     fit.joint.noise_sd_w, kFreeIterations, held);
    const bool chosen = candidate.window && candidate.structure == fit.joint.structure;
    // A window that is held is no unknown.
    const double known = candidate.window ? 0.0 : std::log(static_cast<double>(readings.size()));
    alternatives.push_back({candidate.name, chosen, rms_of(fitted), bic(fitted) - known});
    least = std::min(least, alternatives.back().bic_above);
  }
  for (Alternative& alternative : alternatives) alternative.bic_above -= least;
  return alternatives;
}

}  // namespace truewatt::identification
