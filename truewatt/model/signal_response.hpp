#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/model/observation_model.hpp"
#include "truewatt/model/power_signal.hpp"

namespace truewatt {

/// What a power signal does to a reading.
struct SignalResponse {
  double reading = 0.0;    ///< the reading itself
  double by_time = 0.0;    ///< its derivative to the tick's time, 1/s; to the delay: the negative
  double by_window = 0.0;  ///< its derivative to the averaging window, 1/s
};

/// A part of what a reading sums: `weight` times the mean over a window that ended `age` seconds
/// before the tick less the delay. An energy counter's increment may be the sum of several.
struct KernelTerm {
  double weight = 1.0;
  double age = 0.0;              ///< s, >= 0
  std::optional<double> window;  ///< s, > 0; absent: the model's averaging window
};

/// The response to `power` at each of `ticks` (seconds, in order) of a sensor with this averaging
/// window, delay and time constant; gain and offset of the model are not applied. An empty `kernel`
/// is one window. Windows below kPointWindow are point samples. Closed form by power_signal.hpp.
std::vector<SignalResponse> responses_to(const PowerSignal& power, std::span<const double> ticks,
                                         const ObservationModel& model,
                                         std::span<const KernelTerm> kernel = {});

}  // namespace truewatt
