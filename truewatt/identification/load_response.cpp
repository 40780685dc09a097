#include "truewatt/identification/load_response.hpp"

namespace truewatt::identification {

LoadResponse::LoadResponse(std::span<const Work> work, Shape shape, double decay_time)
    : power_(0.0, {decay_time, 1.0, 1.0}) {
  const bool settled = shape == Shape::settled;
  for (const Work& stretch : work) {
    const double height = stretch.height;
    power_.append({stretch.begin, settled ? height : 0.0, {settled ? 0.0 : height, 0.0, 0.0}});
    power_.append({stretch.end, 0.0, {}});
  }
}

std::vector<Response> LoadResponse::at(std::span<const double> ticks, const ObservationModel& model,
                                       std::span<const KernelTerm> kernel) const {
  static constexpr KernelTerm kOneWindow;
  if (kernel.empty()) kernel = {&kOneWindow, 1};
  const LaggedSignal lagged(power_, model.time_constant.count());
  std::vector<Response> responses(ticks.size());
  for (const KernelTerm& term : kernel) {
    std::size_t near_last = 0;
    std::size_t near_first = 0;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      Response& sum = responses[i];
      const double window = term.window.value_or(model.averaging_window.count());
      const double end = ticks[i] - model.delay.count() - term.age;
      const LaggedSignal::Point last = lagged.at(end, near_last);
      const LaggedSignal::Point first = lagged.at(end - window, near_first);
      const double mean = (last.integral - first.integral) / window;
      sum.reading += term.weight * mean;
      sum.by_time += term.weight * (last.value - first.value) / window;
      if (!term.window) sum.by_window += term.weight * (first.value - mean) / window;
    }
  }
  return responses;
}

}  // namespace truewatt::identification
