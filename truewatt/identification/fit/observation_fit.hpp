#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/identification/fit/joint_fit.hpp"
#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {

/// An explanation must be better than a simpler one by this much (difference of twice the cost, or
/// of BIC).
inline constexpr double kClearlyBetter = 10.0;
/// Half of the 95 % quantile of chi squared with one degree of freedom: profile likelihood.
inline constexpr double kLikelihoodDrop = 1.92;

/// What the joint fit says of one power source and of the board behind it. Times in seconds.
struct ObservationFit {
  Interval averaging_window;  ///< lower end 0 where it is only bounded from above
  Interval delay;
  Interval time_constant;  ///< 0 and an upper end where the sensor shows no lag
  Uncertain amplitude;     ///< W of the sensor per full load; per watt of a meter: the gain
  Uncertain idle;          ///< W of the sensor; beside a meter: the offset
  double noise_sd_w = 0.0;
  double chi2_per_freedom = 0.0;
  bool lag_ambiguous = false;  ///< sensor's lag or board's rise: the readings do not tell
  JointFit joint;
  std::vector<JointFit> structures;  ///< every structure's best fit, simple ones first
};

/// The readings without those whose tick is known badly (worse than 4 ms and three times the
/// usual): they say nothing of short windows and cost time.
std::vector<ticks::Tick> well_located(std::span<const ticks::Tick> readings);

/// At most `wanted` of the readings, evenly spread.
std::vector<ticks::Tick> thinned(std::span<const ticks::Tick> readings, std::size_t wanted);

/// Fits window, delay and lag of a power source to its readings of known power, all structures
/// against each other by BIC (docs/method.md, section 9). `update_period` in seconds sets where
/// the search begins; where `earlier` fits of fewer of the readings are given, it begins there and
/// nowhere else. Errors: insufficient_data below 20 readings or without power behind them.
Result<ObservationFit> fit_observation(const FitData& data, double update_period,
                                       std::span<const JointFit> earlier = {});

/// Bayesian information criterion (Schwarz 1978) of a fit, up to what all fits of the same readings
/// with the same noise share; less is better.
double bic(const JointFit& fit);

/// Which of two fits of the same readings, whose times were taken differently, is better.
bool is_likelier(const ObservationFit& a, const ObservationFit& b);
/// The better of the two.
ObservationFit likelier(ObservationFit a, ObservationFit b);

/// How well a fit like `fit` would know its parameters after readings every `update_period` seconds
/// from `from` to `until` of this work, each tick known to `tick_sd` seconds: standard
/// uncertainties of ln W and ln C, the latter 0 without a lag. For the design of experiments.
struct Expected {
  double log_window_sd = 0.0;
  double log_lag_sd = 0.0;
};
Expected expected_of(const JointFit& fit, std::span<const Work> work, double update_period,
                     double tick_sd, double from, double until);

}  // namespace truewatt::identification
