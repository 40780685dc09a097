#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/identification/fit/load_response.hpp"
#include "truewatt/model/power_signal.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {

/// Which parts of the model are there beside window and delay (docs/method.md, eq. 17).
struct Structure {
  bool lag = false;        ///< the sensor's first-order lag
  bool slow_rise = false;  ///< the board's own rise
  bool overshoot = false;  ///< the board's start-up overshoot
  bool warmth = false;     ///< power that comes and goes slowly with the work, as leakage does

  bool operator==(const Structure&) const = default;
};

/// Non-linear parameters, in this order: ln W, d, ln C, ln R, ln V, ln H (seconds); R, V and H are
/// the decay times of rise, overshoot and warmth.
inline constexpr std::size_t kParameters = 6;
using Parameters = std::array<double, kParameters>;
enum Parameter : std::size_t { kLogWindow, kDelay, kLogLag, kLogRise, kLogOvershoot, kLogWarmth };

/// Longer windows are not searched for: the steps of an experiment last 1.3 to 2 s.
inline constexpr double kLongestWindow = 1.6;  // s

/// Nor longer delays.
inline constexpr double kLongestDelay = 0.4;  // s

/// Bounds of the search: windows from 0.2 ms and delays from -20 ms (clocks that disagree) to
/// these.
Parameters clamped(Parameters parameters);

/// One point of the search with everything that follows from it.
struct JointFit {
  Structure structure;
  Parameters parameters{};
  double idle_w = 0.0;            ///< of the sensor at the axis' origin
  double drift_w_per_s = 0.0;     ///< of idle
  double amplitude_w = 0.0;       ///< settled step of the sensor
  double rise_share = 0.0;        ///< of the amplitude that rises slowly, 0..1
  double overshoot_share = 0.0;   ///< of the amplitude, 0..1.2
  double warmth_share = 0.0;      ///< beyond the amplitude, 0..0.5 of it
  double cost = 0.0;              ///< sum of Huber losses of the standardized residuals
  double noise_sd_w = 0.0;        ///< of one reading beside what its tick's time explains
  std::vector<double> residuals;  ///< W, by reading
  std::vector<double> sds;        ///< W, standard deviation expected of each
  std::vector<double> slopes;     ///< W/s, of the model at each
  std::array<Parameters, kParameters> covariance{};  ///< of the parameters; 0 where not fitted
  std::size_t fitted = 0;                            ///< parameters, linear ones included
  double idle_sd_w = 0.0;                            ///< with the covariance
  double amplitude_sd_w = 0.0;
  double total_lag_sd_s = 0.0;
  double rise_share_sd = 0.0;
  double overshoot_share_sd = 0.0;
};

/// What is fitted: readings and the power behind them, which is known in shape from when a load
/// worked or in full from a meter. Everything referred to must outlive the fit.
struct FitData {
  std::span<const ticks::Tick> readings;  ///< time and its sd in s, value in W
  std::span<const Work> work;             ///< before and between the readings, same axis
  const PowerSignal* measured = nullptr;  ///< a meter's power instead: amplitude is gain then
  std::span<const KernelTerm> kernel;     ///< what each reading sums; empty: one window
};

/// A part of the board's power beside the settled step, as a share of the amplitude.
struct Part {
  bool Structure::*present;
  double JointFit::*share;
  double JointFit::*share_sd;  ///< none of warmth
  Parameter time;              ///< its decay time
  Shape shape;
  double sign;
  double most;  ///< of the share; 0.71 of overshoot was measured on an H200
};
inline constexpr std::array<Part, 3> kParts{{
    {&Structure::slow_rise, &JointFit::rise_share, &JointFit::rise_share_sd, kLogRise, Shape::decay,
     -1.0, 1.0},
    {&Structure::overshoot, &JointFit::overshoot_share, &JointFit::overshoot_share_sd,
     kLogOvershoot, Shape::decay, 1.0, 1.2},
    {&Structure::warmth, &JointFit::warmth_share, nullptr, kLogWarmth, Shape::warmth, 1.0, 0.5},
}};

/// The sensor's share of total_lag: delay, half of the window and lag (s).
double sensor_lag(const JointFit& fit);
/// Its standard uncertainty, once the fit has its covariance.
double sensor_lag_sd(const JointFit& fit);

/// How late readings are of work that begins, on average: the delay, half of the window, the
/// sensor's lag and the board's slow rise, less its overshoot (s). The amplitude times this is the
/// energy by which the readings fall short. Readings that cannot tell one part from another still
/// tell this sum.
double total_lag(const JointFit& fit);

/// The observation model at one point of the search.
ObservationModel model_of(const Parameters& parameters, Structure structure);

/// Fits one structure by variable projection (Golub, Pereyra 1973) and Levenberg-Marquardt, from
/// `start`, with noise of `noise_sd_w` for every reading beside its tick's uncertainty. Linear
/// parameters are solved for at every point, with amplitude > 0 and every part's share of it within
/// its bounds. `held` stays where it starts. Pure.
JointFit fit_from(const FitData& data, Structure structure, const Parameters& start,
                  double noise_sd_w, int most_iterations,
                  std::optional<Parameter> held = std::nullopt);

/// What the fit's model makes of every watt of the amplitude while `work` is done: settled step and
/// parts, through window, delay and lag. `kernel` as in FitData.
std::vector<Response> responses_of(const JointFit& fit, std::span<const ticks::Tick> readings,
                                   std::span<const Work> work,
                                   std::span<const KernelTerm> kernel = {});

/// Noise-free readings of a fit's model at the times of `readings`, W; idle does not drift.
std::vector<double> readings_of(const JointFit& fit, std::span<const ticks::Tick> readings,
                                std::span<const Work> work);

/// How many different readings saw a begin or an end of work through the fit's window, delay and
/// lag: those between 2 and 98 % of full work, 2 % of the largest apart. Window, delay and lag rest
/// on these alone.
std::size_t readings_at_edges(const JointFit& fit, std::span<const ticks::Tick> readings,
                              std::span<const Work> work);

}  // namespace truewatt::identification
