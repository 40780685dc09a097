#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "truewatt/identification/fit/observation_fit.hpp"

namespace truewatt::identification {

/// Root mean square of a fit's residuals, W.
double rms_of(const JointFit& fit);

/// How well readings are explained with one averaging window and everything else fitted anew.
struct WindowLoss {
  double window_s = 0.0;
  double rms_w = 0.0;        ///< root mean square of the residuals
  double excess_cost = 0.0;  ///< cost above the least of the curve (JointFit::cost)
};

/// Which sensor a loss curve is of: the fitted structure, or it with or without the sensor's lag.
enum class SensorLag { as_fitted, without, with };

/// Windows from a twentieth of the update period, at least the least that is searched, to beyond
/// the period and the fitted window: equal steps of the logarithm, the fitted window among them.
std::vector<double> windows_to_try(double fitted_window_s, double update_period_s,
                                   std::size_t count = 31);

/// The loss curve (Yang 2024, Fig. 12, there over shapes alone): each of `windows` (s, ascending)
/// held, every other parameter refitted to at most about 900 of the readings, with the fit's noise.
/// Each point starts from its neighbour nearer to the best window. Pure; tens of fits.
std::vector<WindowLoss> loss_by_window(const FitData& data, const JointFit& fit,
                                       std::span<const double> windows,
                                       SensorLag lag = SensorLag::as_fitted);

/// "window alone", "window and filter", and the same with ", slow board" where the board rises
/// slowly.
std::string name_of(const Structure& structure);

/// One explanation of the readings held against the others.
struct Alternative {
  std::string name;  ///< "window alone", "filter alone", ...
  bool chosen = false;
  double rms_w = 0.0;      ///< root mean square of the residuals
  double bic_above = 0.0;  ///< of bic() above the best alternative's
};

/// The sensor as a point sample, a window, a filter, or both, and those before a board that rises
/// slowly: each fitted to all usable readings with the noise of `fit`. The order is always the
/// same, and the chosen one is among them. Pure.
std::vector<Alternative> alternatives_of(const FitData& data, const ObservationFit& fit);

}  // namespace truewatt::identification
