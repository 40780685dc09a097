#include "truewatt/simgpu/module_power.hpp"

#include <algorithm>

namespace truewatt::simgpu {

PowerSignal cpu_power(const BoardDescription& board, const std::vector<Play>& plays) {
  const double idle = board.cpu_idle.value();
  const double span = board.cpu_max.value() - idle;
  PowerSignal signal(idle, {1.0, 1.0, 1.0});
  for (const Play& play : plays) {
    for (const LevelStep& step : play.steps) {
      signal.append({.begin = step.at, .constant = idle + step.level * span});
    }
    signal.append({.begin = play.end, .constant = idle});
  }
  return signal;
}

PowerSignal module_power(const PowerSignal& gpu, const PowerSignal& cpu) {
  std::vector<double> begins;
  for (const PowerSignal* signal : {&gpu, &cpu}) {
    for (const PowerSignal::Segment& segment : signal->segments().subspan(1)) {
      begins.push_back(segment.begin);
    }
  }
  std::sort(begins.begin(), begins.end());
  const auto taus = gpu.decay_times();
  PowerSignal sum(gpu.segments()[0].constant + cpu.segments()[0].constant,
                  {taus[0], taus[1], taus[2]});
  for (const double begin : begins) {
    const double constant =
        gpu.segments()[gpu.index_of(begin)].constant + cpu.segments()[cpu.index_of(begin)].constant;
    sum.append({.begin = begin, .constant = constant, .amplitudes = gpu.amplitudes_at(begin)});
  }
  return sum;
}

}  // namespace truewatt::simgpu
