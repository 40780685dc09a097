#include "truewatt/model/observation_model.hpp"

#include <algorithm>

namespace truewatt {

double duty(const ObservationModel& model) {
  return std::min(1.0, equivalent_window(model) / model.update_period);
}

}  // namespace truewatt
