#include "truewatt/capture/play.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace truewatt::capture {
namespace {

constexpr Nanoseconds kWaitingEvery = std::chrono::milliseconds(100);

}  // namespace

std::vector<Result<load::Execution>> play_together(const std::vector<Part>& parts, HostTime begin,
                                                   Clock& clock, const std::stop_token& stop,
                                                   const std::function<void()>& waiting) {
  std::vector<std::optional<Result<load::Execution>>> slots(parts.size());
  std::atomic<std::size_t> playing = parts.size();
  const auto play = [&](std::size_t i) {
    slots[i] = parts[i].load->play(*parts[i].schedule, begin, stop);
    --playing;
  };
  if (clock.is_virtual()) {
    for (std::size_t i = 0; i < parts.size(); ++i) play(i);
  } else {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < parts.size(); ++i) threads.emplace_back(play, i);
    while (playing > 0) {
      if (waiting) waiting();
      clock.sleep_until(clock.now() + kWaitingEvery);
    }
  }
  std::vector<Result<load::Execution>> executions;
  for (auto& slot : slots) executions.push_back(std::move(*slot));
  return executions;
}

std::vector<Result<load::Execution>> play_together(const std::vector<load::Load*>& loads,
                                                   const load::Schedule& schedule, HostTime begin,
                                                   Clock& clock, const std::stop_token& stop,
                                                   const std::function<void()>& waiting) {
  std::vector<Part> parts;
  parts.reserve(loads.size());
  for (load::Load* load : loads) parts.push_back({load, &schedule});
  return play_together(parts, begin, clock, stop, waiting);
}

}  // namespace truewatt::capture
