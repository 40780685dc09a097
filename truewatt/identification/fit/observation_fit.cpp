#include "truewatt/identification/fit/observation_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "truewatt/identification/fit/fit_uncertainty.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::identification {
namespace {

constexpr std::size_t kFewestReadings = 20;
/// A minute of a source that ticks every 20 ms; of quicker ones more readings cost time and tell
/// little.
constexpr std::size_t kMostReadings = 3000;
/// Starts are compared on about so many readings, the best polished on about so many.
constexpr std::size_t kScreened = 350;
constexpr std::size_t kPolished = 900;
constexpr std::size_t kStartsPolished = 4;
constexpr int kScreenIterations = 4;
constexpr int kPolishIterations = 25;
constexpr int kFinalIterations = 30;
constexpr int kNoiseRounds = 3;
constexpr double kSameNoise = 0.1;  // difference of logarithms
/// Beyond this standard uncertainty of a logarithm the readings only bound it from above.
constexpr double kUnknownShape = 0.3;
constexpr int kProfileIterations = 8;
/// Decay times of the board's warmth to begin from, s.
constexpr std::array kWarmths = {0.2, 1.0, 5.0};
constexpr double kFirstWarmth = kWarmths[0];

double first_noise(const std::vector<ticks::Tick>& readings) {
  std::vector<double> values;
  for (const ticks::Tick& reading : readings) values.push_back(reading.value);
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
  p[kLogWarmth] = std::log(kFirstWarmth);
  return clamped(p);
}

/// The readings, few of them for a first look, and all.
class Readings {
 public:
  explicit Readings(const FitData& data)
      : data_(data),
        all_(thinned(well_located(data.readings), kMostReadings)),
        some_(thinned(all_, kPolished)),
        few_(thinned(all_, kScreened)) {}

  std::size_t count() const { return all_.size(); }
  double noise() const { return first_noise(all_); }
  FitData few() const { return with(few_); }
  FitData some() const { return with(some_); }
  FitData all() const { return with(all_); }

 private:
  FitData with(const std::vector<ticks::Tick>& readings) const {
    return {readings, data_.work, data_.measured, data_.kernel};
  }
  FitData data_;
  std::vector<ticks::Tick> all_;
  std::vector<ticks::Tick> some_;
  std::vector<ticks::Tick> few_;
};

/// A short window and a lag that spread and delay a signal as much as the window alone does.
Parameters with_lag_for_window(Parameters p) {
  const double window = std::exp(p[kLogWindow]);
  const double left = 0.3 * window;
  const double lag = std::sqrt((window * window - left * left) / 12.0);
  p[kLogWindow] = std::log(left);
  p[kLogLag] = std::log(lag);
  p[kDelay] += window / 2 - left / 2 - lag;
  return clamped(p);
}

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
    if (structure.lag && !fit.structure.lag) starts.push_back(with_lag_for_window(fit.parameters));
    for (const double lag : {0.006, 0.05, 0.25}) {
      Parameters p = fit.parameters;
      if (structure.lag && !fit.structure.lag) p[kLogLag] = std::log(lag);
      if (structure.slow_rise && !fit.structure.slow_rise) p[kLogRise] = std::log(lag);
      starts.push_back(clamped(p));
    }
  }
  return starts;
}

JointFit best_of(const Readings& readings, Structure structure, double period, double noise,
                 const std::vector<JointFit>& simpler) {
  std::vector<JointFit> screened;
  for (const Parameters& start : starts_of(structure, period, simpler)) {
    screened.push_back(fit_from(readings.few(), structure, start, noise, kScreenIterations));
  }
  std::sort(screened.begin(), screened.end(),
            [](const JointFit& a, const JointFit& b) { return a.cost < b.cost; });
  screened.resize(std::min(screened.size(), kStartsPolished));
  std::optional<JointFit> best;
  for (const JointFit& start : screened) {
    JointFit fit = fit_from(readings.some(), structure, start.parameters, noise, kPolishIterations);
    if (!best || fit.cost < best->cost) best = std::move(fit);
  }
  return *best;
}

/// Behind a meter there is no board to find out about.
std::vector<Structure> structures_for(const FitData& data) {
  if (data.measured) return {{false, false, false}, {true, false, false}};
  return {{false, false, true}, {true, false, true}, {false, true, true}, {true, true, true}};
}

/// Every structure's best fit to all readings with one noise, which the roughly right one leaves.
std::vector<JointFit> fit_structures(const Readings& readings, double period,
                                     std::span<const JointFit> earlier) {
  std::vector<JointFit> fits(earlier.begin(), earlier.end());
  if (earlier.empty()) {
    for (const Structure& structure : structures_for(readings.all())) {
      fits.push_back(best_of(readings, structure, period, readings.noise(), fits));
    }
  }
  const auto roughly = std::min_element(
      fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  double noise = earlier.empty() ? likely_noise(*roughly) : roughly->noise_sd_w;
  for (int round = 0; round < 2; ++round) {
    for (JointFit& fit : fits) {
      fit = fit_from(readings.all(), fit.structure, fit.parameters, noise, kFinalIterations);
    }
    // Structures are compared in units of the noise: that of fewer or of otherwise placed readings
    // will not do.
    const double left = likely_noise(*roughly);
    if (earlier.empty() || std::abs(std::log(left / noise)) < kSameNoise) break;
    noise = left;
  }
  return fits;
}

/// The same with the board's warmth, where it has none.
JointFit with_warmth(const JointFit& fit, const Readings& readings) {
  Structure structure = fit.structure;
  structure.warmth = true;
  std::optional<JointFit> best;
  for (const double warmth : kWarmths) {
    Parameters start = fit.parameters;
    start[kLogWarmth] = std::log(warmth);
    JointFit tried = fit_from(readings.some(), structure, start, fit.noise_sd_w, kPolishIterations);
    if (!best || tried.cost < best->cost) best = std::move(tried);
  }
  return fit_from(readings.all(), structure, best->parameters, fit.noise_sd_w, kFinalIterations);
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

Structure without_warmth(Structure structure) {
  structure.warmth = false;
  return structure;
}

double sd_of(const JointFit& fit, Parameter parameter) {
  return std::sqrt(fit.covariance[parameter][parameter]);
}

/// The same structure with a lag, fitted to all readings with the noise of `fit`.
JointFit with_lag(const JointFit& fit, const std::vector<JointFit>& refined, const FitData& all) {
  Structure structure = fit.structure;
  structure.lag = true;
  Parameters start = fit.parameters;
  for (const JointFit& other : refined) {
    if (without_warmth(other.structure) == without_warmth(structure)) start = other.parameters;
  }
  start[kLogWarmth] = fit.parameters[kLogWarmth];
  JointFit lagged = fit_from(all, structure, start, fit.noise_sd_w, kFinalIterations);
  add_covariance(lagged, all);
  return lagged;
}

/// Weight of the structure with one parameter more against the other (Akaike 1973): a lag too
/// small to be shown may still be there, and moves what the delay seems to be.
double weight_of(const JointFit& bigger, const JointFit& smaller) {
  return 1.0 / (1.0 + std::exp(bigger.cost + 1.0 - smaller.cost));
}

/// A structure that was not chosen and may be right too, with its weight.
using Doubt = std::optional<std::pair<JointFit, double>>;

/// A parameter averaged over the chosen fit and the one that may be right too, with its weight.
Uncertain averaged(const JointFit& fit, const Doubt& doubt, Parameter parameter) {
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

/// The chosen structure with the noise that it leaves itself.
JointFit settled(JointFit fit, const FitData& data) {
  for (int round = 0; round < kNoiseRounds; ++round) {
    fit = fit_from(data, fit.structure, fit.parameters, likely_noise(fit), kFinalIterations);
  }
  add_covariance(fit, data);
  return fit;
}

Interval time_constant_of(const JointFit& fit, const Doubt& doubt, const FitData& some) {
  if (doubt) return {0.0, 0.0, upper_bound(doubt->first, some, kLogLag), 0.95};
  const double lag = std::exp(fit.parameters[kLogLag]);
  const double sd = sd_of(fit, kLogLag);
  if (sd > kUnknownShape) return {lag, 0.0, upper_bound(fit, some, kLogLag), 0.95};
  return of_logarithm(lag, sd);
}

Interval window_of(const JointFit& fit, const Doubt& doubt, const FitData& some) {
  const Uncertain log_window = averaged(fit, doubt, kLogWindow);
  const double window = std::exp(log_window.value);
  if (log_window.standard_uncertainty > kUnknownShape) {
    return {window, 0.0, upper_bound(fit, some, kLogWindow), 0.95};
  }
  return of_logarithm(window, log_window.standard_uncertainty);
}

double chi2_per_freedom(const JointFit& fit) {
  double chi2 = 0.0;
  for (std::size_t k = 0; k < fit.residuals.size(); ++k) {
    chi2 += std::pow(fit.residuals[k] / fit.sds[k], 2);
  }
  return chi2 /
         std::max(1.0, static_cast<double>(fit.residuals.size()) - static_cast<double>(fit.fitted));
}

/// True when giving the lag to the board, or the board's to the sensor, fits as well. Warmth, which
/// only the chosen structure may have, must not hide it.
bool is_ambiguous(const JointFit& best, const std::vector<JointFit>& structures) {
  const Structure chosen = without_warmth(best.structure);
  const auto plain = std::find_if(structures.begin(), structures.end(),
                                  [&](const JointFit& other) { return other.structure == chosen; });
  const double its = plain == structures.end() ? bic(best) : bic(*plain);
  return std::any_of(structures.begin(), structures.end(), [&](const JointFit& other) {
    return !other.structure.warmth && other.structure.lag != chosen.lag &&
           other.structure.slow_rise != chosen.slow_rise &&
           std::abs(bic(other) - its) < kClearlyBetter;
  });
}

}  // namespace

std::vector<ticks::Tick> thinned(std::span<const ticks::Tick> readings, std::size_t wanted) {
  if (readings.size() <= wanted) return {readings.begin(), readings.end()};
  std::vector<ticks::Tick> kept;
  for (std::size_t i = 0; i < wanted; ++i) kept.push_back(readings[i * readings.size() / wanted]);
  return kept;
}

std::vector<ticks::Tick> well_located(std::span<const ticks::Tick> readings) {
  std::vector<double> sds;
  for (const ticks::Tick& reading : readings) sds.push_back(reading.time_sd);
  const double usual = numerics::median(std::move(sds)).value_or(0.0);
  const double most = std::max(4e-3 / std::sqrt(12.0), 3 * usual);
  std::vector<ticks::Tick> kept;
  std::copy_if(readings.begin(), readings.end(), std::back_inserter(kept),
               [most](const ticks::Tick& reading) { return reading.time_sd <= most; });
  return kept;
}

Result<ObservationFit> fit_observation(const FitData& data, double update_period,
                                       std::span<const JointFit> earlier) {
  const Readings readings(data);
  if (readings.count() < kFewestReadings || (data.work.empty() && !data.measured)) {
    return Unexpected(Errc::insufficient_data, "too few readings of the load to fit the sensor");
  }
  ObservationFit result;
  result.structures = fit_structures(readings, update_period, earlier);
  if (!data.measured && !chosen(result.structures).structure.warmth) {
    std::erase_if(result.structures, [](const JointFit& fit) { return fit.structure.warmth; });
    result.structures.push_back(with_warmth(chosen(result.structures), readings));
  }
  const JointFit& best = chosen(result.structures);
  result.lag_ambiguous = is_ambiguous(best, result.structures);
  result.joint = settled(best, readings.all());
  const JointFit& joint = result.joint;
  Doubt doubt;
  if (!joint.structure.lag) {
    const JointFit lagged = with_lag(joint, result.structures, readings.all());
    doubt = std::pair(lagged, weight_of(lagged, joint));
  }
  result.averaging_window = window_of(joint, doubt, readings.some());
  result.time_constant = time_constant_of(joint, doubt, readings.some());
  result.delay = interval95(averaged(joint, doubt, kDelay));
  result.amplitude = {joint.amplitude_w, joint.amplitude_sd_w};
  result.idle = {joint.idle_w, joint.idle_sd_w};
  result.noise_sd_w = joint.noise_sd_w;
  result.chi2_per_freedom = chi2_per_freedom(joint);
  return result;
}

double bic(const JointFit& fit) {
  const Structure& s = fit.structure;
  double unknowns = 5.0 + (s.lag ? 1 : 0);
  for (const Part& part : kParts) unknowns += s.*part.present ? 2 : 0;
  return 2 * fit.cost + unknowns * std::log(static_cast<double>(fit.residuals.size()));
}

bool is_likelier(const ObservationFit& a, const ObservationFit& b) {
  // `cost` is relative to each fit's own noise.
  const auto unlikeliness = [](const JointFit& fit) {
    return fit.cost + static_cast<double>(fit.residuals.size()) * std::log(fit.noise_sd_w);
  };
  return unlikeliness(a.joint) <= unlikeliness(b.joint);
}

ObservationFit likelier(ObservationFit a, ObservationFit b) {
  return is_likelier(a, b) ? std::move(a) : std::move(b);
}

Expected expected_of(const JointFit& fit, std::span<const Work> work, double update_period,
                     double tick_sd, double from, double until) {
  std::vector<ticks::Tick> readings;
  const auto count = static_cast<std::size_t>(std::max(0.0, (until - from) / update_period));
  for (std::size_t i = 0; i < count; ++i) {
    readings.push_back({from + static_cast<double>(i) * update_period, tick_sd, 0.0});
  }
  const std::vector<double> values = readings_of(fit, readings, work);
  for (std::size_t i = 0; i < readings.size(); ++i) readings[i].value = values[i];
  const FitData data{readings, work};
  JointFit known = fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
  add_covariance(known, data);
  return {sd_of(known, kLogWindow), sd_of(known, kLogLag)};
}

}  // namespace truewatt::identification
