#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::replication::yang {

/// Periods of the loads as shares of the update period (Yang 2024, section IV-C). Its artifact
/// passes them as half periods, so what it played is twice as long.
inline constexpr std::array kPeriodRatios{2.0 / 3, 3.0 / 4, 4.0 / 5, 6.0 / 5, 5.0 / 4, 4.0 / 3};
inline constexpr double kRunLength = 8.0;      // s of load in a run of 9 s
inline constexpr double kDiscarded = 1.0;      // s at a run's begin that are not fitted
inline constexpr double kStartDelay = 2.5e-3;  // s; artifact: half of its polling period
inline constexpr double kCurveStep = 2e-3;     // s between windows of the loss curve (Fig. 12)
inline constexpr double kCurveBegin = 1e-3;
inline constexpr double kCurveBeyond = 10e-3;  // s past the update period

/// What is compared: readings (seconds, in order) and when the load worked, on one axis.
struct WaveRun {
  std::span<const ticks::Tick> readings;
  std::span<const identification::Work> wave;
};

/// Mean of squared differences between the z-scores of the readings and of the wave's mean over
/// [t - delay - window, t - delay]. 0 is the same shape, 2 two that have nothing in common; a wave
/// whose mean stays the same counts as zeros. The z-score throws the amplitude away, negative
/// windows and delays give 100 as in the artifact.
double window_loss(const WaveRun& run, double window, double delay);

struct WindowFit {
  double window = 0.0;  ///< s
  double delay = 0.0;   ///< s
  double loss = 0.0;
  bool converged = false;
};

/// The paper's fit: least loss over window and delay (the artifact fits both, the paper's text the
/// window alone), by Nelder and Mead from half of the update period. A local search: it ends in the
/// valley it begins in. Nothing below five readings or where they do not change.
std::optional<WindowFit> fit_window(const WaveRun& run, double update_period);

struct LossPoint {
  double window = 0.0;  ///< s
  double loss = 0.0;
};

/// Fig. 12: the loss for windows from 1 ms to 10 ms past the update period, at this delay.
std::vector<LossPoint> loss_curve(const WaveRun& run, double update_period, double delay);
/// The window of the least loss.
std::optional<double> lowest(std::span<const LossPoint> curve);

/// Fig. 10, loads whose period is the update period: how far readings swing, from their 5 % to
/// their 95 % quantile, as a share of `amplitude_w`. A window of one period is flat, a shorter one
/// swings; runs must begin at random phases, or a source in step with them is flat whatever its
/// window is. Nothing below 40 readings.
std::optional<double> swing_share(std::vector<double> readings, double amplitude_w);
/// Below this share the readings are flat. The paper judges by eye; a window a tenth shorter than
/// the period swings by a ninth.
inline constexpr double kFlatShare = 0.15;

}  // namespace truewatt::replication::yang
