#include "truewatt/capture/play.hpp"

#include <optional>
#include <thread>

namespace truewatt::capture {

std::vector<Result<load::Execution>> play_together(const std::vector<load::Load*>& loads,
                                                   const load::Schedule& schedule, HostTime begin,
                                                   const std::stop_token& stop, bool inline_only) {
  std::vector<std::optional<Result<load::Execution>>> slots(loads.size());
  const auto play = [&](std::size_t i) { slots[i] = loads[i]->play(schedule, begin, stop); };
  if (inline_only || loads.size() == 1) {
    for (std::size_t i = 0; i < loads.size(); ++i) play(i);
  } else {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < loads.size(); ++i) threads.emplace_back(play, i);
  }
  std::vector<Result<load::Execution>> executions;
  for (auto& slot : slots) executions.push_back(std::move(*slot));
  return executions;
}

}  // namespace truewatt::capture
