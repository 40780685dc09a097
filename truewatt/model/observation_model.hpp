#pragma once

#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/base/units.hpp"

namespace truewatt {

/// The observation model of one source (docs/method.md, eq. 1), used to simulate, to characterize,
/// to calibrate and to estimate. The reading published at tick tau is
///
///   y = gain * (1/W) * integral over [tau - d - W, tau - d] of (h * P)(t) dt + offset
///
/// with h a first-order lag of time constant C. W = 0 and C = 0 are allowed and mean a point
/// sample and no lag. An energy counter publishes the running sum of such inner observations, one
/// every `inner_period` (0: their exact integral). Plain data; any thread.
struct ObservationModel {
  Seconds update_period{0.1};   ///< T > 0
  Seconds averaging_window{0};  ///< W >= 0
  Seconds time_constant{0};     ///< C >= 0
  Seconds delay{0};             ///< d, of the window's end before the tick; may be negative
  double gain = 1.0;            ///< dimensionless, > 0
  Watts offset{0};
  Seconds inner_period{0};  ///< >= 0; of an average: between its point samples
};

/// Windows shorter than this are point samples: no board changes its power so fast.
inline constexpr Seconds kPointWindow{1e-6};

/// W + 2C: how long a reading looks at the power. A lag of time constant C averages noise as much
/// as a window of 2C.
constexpr Seconds equivalent_window(const ObservationModel& model) {
  return model.averaging_window + 2 * model.time_constant;
}
/// The same of a known window and time constant in seconds, bound by bound.
constexpr Interval equivalent_window(const Interval& averaging_window,
                                     const Interval& time_constant) {
  return {averaging_window.value + 2 * time_constant.value,
          averaging_window.lower + 2 * time_constant.lower,
          averaging_window.upper + 2 * time_constant.upper, averaging_window.level};
}

/// Equivalent window over update period, at most 1: the share of time a power source looks at.
double duty(const ObservationModel& model);

/// The noise-free reading of a power source, watts, for a publication at `tick` (seconds on the
/// signal's axis). `lagged` is the power behind the model's lag: anything with value(t) and
/// integral(t), so that simulation can add noise to it and estimation unit responses.
template <class Lagged>
double power_reading(const ObservationModel& model, const Lagged& lagged, double tick) {
  const double end = tick - model.delay.count();
  const double window = model.averaging_window.count();
  const double mean = model.averaging_window < kPointWindow
                          ? lagged.value(end)
                          : (lagged.integral(end) - lagged.integral(end - window)) / window;
  return model.gain * mean + model.offset.value();
}

/// The value of an energy counter that integrates exactly (inner_period 0) and read 0 at time 0:
/// the integral over [0, tick] of the power reading at every instant, joules. Closed form; needs
/// double_integral(t) of `lagged` too where W > 0.
template <class Lagged>
double exact_counter(const ObservationModel& model, const Lagged& lagged, double tick) {
  const double end = tick - model.delay.count();
  const double start = -model.delay.count();
  const double window = model.averaging_window.count();
  const double offset = model.offset.value() * tick;
  if (model.averaging_window < kPointWindow) {
    return model.gain * (lagged.integral(end) - lagged.integral(start)) + offset;
  }
  const double recent = lagged.double_integral(end) - lagged.double_integral(end - window);
  const double first = lagged.double_integral(start) - lagged.double_integral(start - window);
  return model.gain * (recent - first) / window + offset;
}

}  // namespace truewatt
