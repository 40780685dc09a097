#include "truewatt/identification/load_response.hpp"

namespace truewatt::identification {

LoadResponse::LoadResponse(std::span<const Work> work, Shape shape, double decay_time)
    : power_(0.0, {decay_time, 1.0, 1.0}) {
  const bool settled = shape == Shape::settled;
  for (const Work& stretch : work) {
    power_.append({stretch.begin, settled ? 1.0 : 0.0, {settled ? 0.0 : 1.0, 0.0, 0.0}});
    power_.append({stretch.end, 0.0, {}});
  }
}

std::vector<Response> LoadResponse::at(std::span<const double> ticks,
                                       const ObservationModel& model) const {
  const LaggedSignal lagged(power_, model.time_constant.count());
  const double window = model.averaging_window.count();
  std::vector<Response> responses;
  responses.reserve(ticks.size());
  for (const double tick : ticks) {
    const double end = tick - model.delay.count();
    const LaggedSignal::Point last = lagged.at(end);
    const LaggedSignal::Point first = lagged.at(end - window);
    const double mean = (last.integral - first.integral) / window;
    responses.push_back({mean, (last.value - first.value) / window, (first.value - mean) / window});
  }
  return responses;
}

}  // namespace truewatt::identification
