#include "truewatt/identification/load_response.hpp"

#include <cmath>

namespace truewatt::identification {

LoadResponse::LoadResponse(std::span<const Work> work, Shape shape, double decay_time)
    : power_(0.0, {decay_time, 1.0, 1.0}) {
  double warmth = 0.0;
  double since = 0.0;
  for (const Work& stretch : work) {
    const double height = stretch.height;
    double settled = shape == Shape::decay ? 0.0 : height;
    double decaying = shape == Shape::decay ? height : 0.0;
    double left = 0.0;
    if (shape == Shape::warmth) {
      const double before = warmth * std::exp(-(stretch.begin - since) / decay_time);
      decaying = before - height;
      left = height + decaying * std::exp(-(stretch.end - stretch.begin) / decay_time);
      warmth = left;
      since = stretch.end;
    }
    power_.append({stretch.begin, settled, {decaying, 0.0, 0.0}});
    power_.append({stretch.end, 0.0, {left, 0.0, 0.0}});
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
