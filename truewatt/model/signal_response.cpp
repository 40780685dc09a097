#include "truewatt/model/signal_response.hpp"

#include <algorithm>
#include <cstddef>

namespace truewatt {

std::vector<SignalResponse> responses_to(const PowerSignal& power, std::span<const double> ticks,
                                         const ObservationModel& model,
                                         std::span<const KernelTerm> kernel) {
  static constexpr KernelTerm kOneWindow;
  if (kernel.empty()) kernel = {&kOneWindow, 1};
  const LaggedSignal lagged(power, model.time_constant.count());
  std::vector<SignalResponse> responses(ticks.size());
  for (const KernelTerm& term : kernel) {
    std::size_t near_last = 0;
    std::size_t near_first = 0;
    const double window =
        std::max(term.window.value_or(model.averaging_window.count()), kPointWindow.count());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      SignalResponse& sum = responses[i];
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

}  // namespace truewatt
