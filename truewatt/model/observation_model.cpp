#include "truewatt/model/observation_model.hpp"

#include <algorithm>

namespace truewatt {

double duty(const ObservationModel& model) {
  return std::min(1.0, (model.averaging_window + 2 * model.time_constant) / model.update_period);
}

}  // namespace truewatt
