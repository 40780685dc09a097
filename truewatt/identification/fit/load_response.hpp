#pragma once

#include <span>
#include <utility>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/model/power_signal.hpp"
#include "truewatt/model/signal_response.hpp"

namespace truewatt::identification {

/// What one unit of a board's power does to a reading.
using Response = SignalResponse;

/// Shape of a board's answer to work, per unit of settled power. The board falls at once
/// (docs/method.md, section 2); what it does when rising is this shape.
enum class Shape {
  settled,  ///< the work's height while there is work
  decay,    ///< its height times exp(-s/tau) after each begin of work: slow rise (negative) or
            ///< overshoot (positive)
  warmth,   ///< its height behind a first-order lag of tau: what comes and goes slowly
};

/// Readings of known work through an observation model, per unit of power: the columns of the
/// linear part of the fit (docs/method.md, eq. 18). Closed form by model/power_signal.hpp.
class LoadResponse {
 public:
  /// `decay_time` in seconds is of Shape::decay and Shape::warmth and ignored otherwise.
  LoadResponse(std::span<const Work> work, Shape shape, double decay_time = 1.0);

  /// Power that a meter saw, in full: responses are readings.
  explicit LoadResponse(PowerSignal measured) : power_(std::move(measured)) {}

  /// The response at each of `ticks` (seconds, in order), for a sensor with this averaging window,
  /// delay and time constant; gain and offset of the model are not applied. An empty `kernel` is
  /// one window.
  std::vector<Response> at(std::span<const double> ticks, const ObservationModel& model,
                           std::span<const KernelTerm> kernel = {}) const {
    return responses_to(power_, ticks, model, kernel);
  }

 private:
  PowerSignal power_;
};

}  // namespace truewatt::identification
