#include "truewatt/identification/known_load.hpp"

namespace truewatt::identification {
namespace {

constexpr double kNoBreak = 1e-6;  // s

}  // namespace

std::vector<Work> work_of(const Recording& recording, HostTime origin, std::string_view level) {
  std::vector<Work> work;
  for (const ActivityInterval& activity : recording.activity) {
    if (activity.level != level) continue;
    const Work next{seconds_between(origin, activity.begin), seconds_between(origin, activity.end)};
    if (!work.empty() && next.begin - work.back().end < kNoBreak) {
      work.back().end = next.end;
    } else {
      work.push_back(next);
    }
  }
  return work;
}

PowerSignal measured_power(const trace::MeterTrace& meter, HostTime origin) {
  PowerSignal power(meter.samples.empty() ? 0.0 : meter.samples.front().power_w, {1.0, 1.0, 1.0});
  for (const trace::MeterSample& sample : meter.samples) {
    power.append({seconds_between(origin, sample.time), sample.power_w, {}});
  }
  return power;
}

}  // namespace truewatt::identification
