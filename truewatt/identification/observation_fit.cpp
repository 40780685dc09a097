#include "truewatt/identification/observation_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::identification {
namespace {

constexpr std::size_t kFewestReadings = 20;
/// Starts are compared on about so many readings, the best polished on about so many.
constexpr std::size_t kScreened = 350;
constexpr std::size_t kPolished = 900;
constexpr std::size_t kStartsPolished = 4;
constexpr int kScreenIterations = 4;
constexpr int kPolishIterations = 25;
constexpr int kFinalIterations = 30;
constexpr int kNoiseRounds = 3;
/// A structure must be better than a simpler one by this much (difference of BIC).
constexpr double kClearlyBetter = 10.0;
/// Beyond this standard uncertainty of a logarithm the readings only bound it from above.
constexpr double kUnknown = 0.3;
/// Half of the 95 % quantile of chi squared with one degree of freedom: profile likelihood.
constexpr double kLikelihoodDrop = 1.92;
constexpr int kProfileIterations = 8;

/// Readings whose tick is known badly say nothing of short windows and cost time.
std::vector<energy::Tick> usable(std::span<const energy::Tick> readings) {
  std::vector<double> sds;
  for (const energy::Tick& reading : readings) sds.push_back(reading.time_sd);
  const double usual = numerics::median(std::move(sds)).value_or(0.0);
  const double most = std::max(4e-3 / std::sqrt(12.0), 3 * usual);
  std::vector<energy::Tick> kept;
  std::copy_if(readings.begin(), readings.end(), std::back_inserter(kept),
               [most](const energy::Tick& reading) { return reading.time_sd <= most; });
  return kept;
}

std::vector<energy::Tick> thinned(const std::vector<energy::Tick>& readings, std::size_t wanted) {
  if (readings.size() <= wanted) return readings;
  std::vector<energy::Tick> kept;
  const double step = static_cast<double>(readings.size()) / static_cast<double>(wanted);
  for (double i = 0; i < static_cast<double>(readings.size()); i += step) {
    kept.push_back(readings[static_cast<std::size_t>(i)]);
  }
  return kept;
}

double first_noise(const std::vector<energy::Tick>& readings) {
  std::vector<double> values;
  for (const energy::Tick& reading : readings) values.push_back(reading.value);
  std::sort(values.begin(), values.end());
  const double range = values[values.size() * 95 / 100] - values[values.size() * 5 / 100];
  return std::max(0.02 * range, 0.1);
}

Parameters start_at(double window, double lag) {
  Parameters p{};
  p[kLogWindow] = std::log(window);
  p[kDelay] = 2e-3;
  p[kLogLag] = std::log(lag);
  p[kLogRise] = std::log(lag);
  p[kLogOvershoot] = std::log(0.15);
  return clamped(p);
}

/// Sets of readings from few to all.
struct Sets {
  std::vector<energy::Tick> few;
  std::vector<energy::Tick> some;
  std::vector<energy::Tick> all;
};

std::vector<Parameters> starts_of(Structure structure, double period,
                                  const std::vector<JointFit>& simpler) {
  std::vector<Parameters> starts;
  const std::array windows = {0.1 * period, 0.3 * period, period, 0.25, 1.0};
  for (const double window : windows) {
    if (!structure.lag && !structure.slow_rise) {
      starts.push_back(start_at(window, 0.01));
      continue;
    }
    for (const double lag : {0.05, 0.5}) starts.push_back(start_at(window, lag));
  }
  // Without these the bigger structure stops in a worse minimum than the smaller one's.
  for (const JointFit& fit : simpler) {
    for (const double lag : {0.006, 0.05}) {
      Parameters p = fit.parameters;
      if (structure.lag && !fit.structure.lag) p[kLogLag] = std::log(lag);
      if (structure.slow_rise && !fit.structure.slow_rise) p[kLogRise] = std::log(lag);
      starts.push_back(clamped(p));
    }
  }
  return starts;
}

JointFit best_of(const Sets& sets, std::span<const Work> work, Structure structure, double period,
                 double noise, const std::vector<JointFit>& simpler) {
  std::vector<JointFit> screened;
  for (const Parameters& start : starts_of(structure, period, simpler)) {
    screened.push_back(fit_from({sets.few, work}, structure, start, noise, kScreenIterations));
  }
  std::sort(screened.begin(), screened.end(),
            [](const JointFit& a, const JointFit& b) { return a.cost < b.cost; });
  screened.resize(std::min(screened.size(), kStartsPolished));
  std::optional<JointFit> best;
  for (const JointFit& start : screened) {
    JointFit fit =
        fit_from({sets.some, work}, structure, start.parameters, noise, kPolishIterations);
    if (!best || fit.cost < best->cost) best = std::move(fit);
  }
  return *best;
}

double bic(const JointFit& fit) {
  const Structure& s = fit.structure;
  const double unknowns = 5.0 + (s.lag ? 1 : 0) + (s.slow_rise ? 2 : 0) + (s.overshoot ? 2 : 0);
  return 2 * fit.cost + unknowns * std::log(static_cast<double>(fit.residuals.size()));
}

std::vector<JointFit> fit_structures(const Sets& sets, std::span<const Work> work, double period,
                                     double noise) {
  std::vector<JointFit> fits;
  constexpr std::array structures = {Structure{false, false, true}, Structure{true, false, true},
                                     Structure{false, true, true}, Structure{true, true, true}};
  for (const Structure& structure : structures) {
    fits.push_back(best_of(sets, work, structure, period, noise, fits));
  }
  return fits;
}

/// The simplest structure that no other beats clearly.
const JointFit& chosen(const std::vector<JointFit>& fits) {
  const auto best = std::min_element(fits.begin(), fits.end(),
                                     [](const auto& a, const auto& b) { return bic(a) < bic(b); });
  for (const JointFit& fit : fits) {
    if (bic(fit) <= bic(*best) + kClearlyBetter) return fit;
  }
  return *best;
}

/// Upper end of the 95 % interval of a time by its profile likelihood, found by doubling steps.
double upper_bound(const JointFit& fit, const FitData& data, Parameter parameter) {
  const JointFit best =
      fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, kProfileIterations);
  double inside = best.parameters[parameter];
  Parameters from = best.parameters;
  for (double step = 0.2; step > 0.02;) {
    Parameters tried = from;
    tried[parameter] = inside + step;
    const double clamp = clamped(tried)[parameter];
    const JointFit held =
        fit_from(data, fit.structure, tried, fit.noise_sd_w, kProfileIterations, parameter);
    if (held.cost - best.cost > kLikelihoodDrop) {
      step /= 2;
      continue;
    }
    inside = tried[parameter];
    if (clamp < inside) break;  // nothing in the bounds is excluded
    from = held.parameters;
    step *= 2;
  }
  return std::exp(inside);
}

double sd_of(const JointFit& fit, Parameter parameter) {
  return std::sqrt(fit.covariance[parameter][parameter]);
}

/// The same structure with a lag, fitted to all readings with the noise of `fit`.
JointFit with_lag(const JointFit& fit, const std::vector<JointFit>& refined, const FitData& all) {
  Structure structure = fit.structure;
  structure.lag = true;
  const auto start = std::find_if(refined.begin(), refined.end(), [&](const JointFit& other) {
    return other.structure == structure;
  });
  JointFit lagged = fit_from(all, structure, start->parameters, fit.noise_sd_w, kFinalIterations);
  add_covariance(lagged, all);
  return lagged;
}

/// Weight of the structure with one parameter more against the other (Akaike 1973): a lag too
/// small to be shown may still be there, and moves what the delay seems to be.
double weight_of(const JointFit& bigger, const JointFit& smaller) {
  return 1.0 / (1.0 + std::exp(bigger.cost + 1.0 - smaller.cost));
}

/// A parameter averaged over the chosen fit and the one that may be right too, with its weight.
Uncertain averaged(const JointFit& fit, const std::optional<std::pair<JointFit, double>>& doubt,
                   Parameter parameter) {
  const Uncertain own{fit.parameters[parameter], sd_of(fit, parameter)};
  if (!doubt) return own;
  const auto& [other, weight] = *doubt;
  const double apart = other.parameters[parameter] - own.value;
  const double variance = (1.0 - weight) * std::pow(own.standard_uncertainty, 2) +
                          weight * std::pow(sd_of(other, parameter), 2) +
                          weight * (1.0 - weight) * apart * apart;
  return {own.value + weight * apart, std::sqrt(variance)};
}

Interval of_logarithm(double value, double sd) {
  const double factor = std::exp(kCoverageFactor95 * sd);
  return {value, value / factor, value * factor, 0.95};
}

}  // namespace

Result<ObservationFit> fit_observation(std::span<const energy::Tick> readings,
                                       std::span<const Work> work, double update_period,
                                       std::span<const JointFit> earlier) {
  Sets sets;
  sets.all = usable(readings);
  if (sets.all.size() < kFewestReadings || work.empty()) {
    return Unexpected(Errc::insufficient_data, "too few readings of the load to fit the sensor");
  }
  sets.few = thinned(sets.all, kScreened);
  sets.some = thinned(sets.all, kPolished);
  double noise = first_noise(sets.all);
  const FitData all{sets.all, work};
  const auto fits = earlier.empty() ? fit_structures(sets, work, update_period, noise)
                                    : std::vector<JointFit>(earlier.begin(), earlier.end());
  // The noise that the roughly right structure leaves decides how clearly it is better.
  const auto roughly = std::min_element(
      fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  noise = earlier.empty() ? likely_noise(*roughly) : roughly->noise_sd_w;
  std::vector<JointFit> refined;
  for (const JointFit& fit : fits) {
    refined.push_back(fit_from(all, fit.structure, fit.parameters, noise, kFinalIterations));
  }
  JointFit joint = chosen(refined);
  for (int round = 0; round < kNoiseRounds; ++round) {
    noise = likely_noise(joint);
    joint = fit_from(all, joint.structure, joint.parameters, noise, kFinalIterations);
  }
  add_covariance(joint, all);

  ObservationFit result;
  const Parameters& p = joint.parameters;
  std::optional<std::pair<JointFit, double>> doubt;
  const FitData some{sets.some, work};
  if (joint.structure.lag) {
    const double sd = sd_of(joint, kLogLag);
    const double lag = std::exp(joint.parameters[kLogLag]);
    result.time_constant = sd > kUnknown
                               ? Interval{lag, 0.0, upper_bound(joint, some, kLogLag), 0.95}
                               : of_logarithm(lag, sd);
  } else {
    const JointFit lagged = with_lag(joint, refined, all);
    result.time_constant = Interval{0.0, 0.0, upper_bound(lagged, some, kLogLag), 0.95};
    doubt = std::pair(lagged, weight_of(lagged, joint));
  }
  const Uncertain log_window = averaged(joint, doubt, kLogWindow);
  const double window = std::exp(log_window.value);
  result.averaging_window = log_window.standard_uncertainty > kUnknown
                                ? Interval{window, 0.0, upper_bound(joint, some, kLogWindow), 0.95}
                                : of_logarithm(window, log_window.standard_uncertainty);
  result.delay = interval95(averaged(joint, doubt, kDelay));
  const double lag = result.time_constant->value;
  const auto& cov = joint.covariance;
  const std::array gradient = {window / 2, 1.0, lag};
  double variance = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) variance += gradient[i] * cov[i][j] * gradient[j];
  }
  result.total_lag = interval95({p[kDelay] + window / 2 + lag, std::sqrt(std::max(variance, 0.0))});
  result.amplitude_w = joint.amplitude_w;
  result.noise_sd_w = joint.noise_sd_w;
  double chi2 = 0.0;
  for (std::size_t k = 0; k < joint.residuals.size(); ++k) {
    chi2 += std::pow(joint.residuals[k] / joint.sds[k], 2);
  }
  result.chi2_per_freedom =
      chi2 / std::max(1.0, static_cast<double>(joint.residuals.size() - joint.fitted));
  // The same fit with the lag given to the board, or the other way round.
  for (const JointFit& other : refined) {
    const bool swapped = other.structure.lag != joint.structure.lag &&
                         other.structure.slow_rise != joint.structure.slow_rise;
    if (swapped && std::abs(bic(other) - bic(chosen(refined))) < kClearlyBetter) {
      result.lag_ambiguous = true;
    }
  }
  result.joint = std::move(joint);
  result.structures = std::move(refined);
  return result;
}

Expected expected_of(const JointFit& fit, std::span<const Work> work, double update_period,
                     double tick_sd, double from, double until) {
  std::vector<energy::Tick> readings;
  for (double time = from; time < until; time += update_period) {
    readings.push_back({time, tick_sd, 0.0});
  }
  const std::vector<double> values = readings_of(fit, readings, work);
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i].value = values[i];
  const FitData data{readings, work};
  JointFit known = fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
  add_covariance(known, data);
  return {sd_of(known, kLogWindow), sd_of(known, kLogLag)};
}

}  // namespace truewatt::identification
