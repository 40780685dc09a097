#include "truewatt/identification/fit/known_load.hpp"

namespace truewatt::identification {
namespace {

constexpr double kNoBreak = 1e-6;  // s

// A step inside a block keeps its energy and its mean time; behind a lag C the rest is at most
// (block / C)^2 / 8 of the step: 0.0007 for the quickest known sensor, 13 ms.
constexpr double kMeterBlock = 1e-3;  // s

void append(std::vector<Work>& work, const Work& next) {
  const bool goes_on =
      !work.empty() && next.begin - work.back().end < kNoBreak && next.height == work.back().height;
  if (goes_on) {
    work.back().end = next.end;
  } else {
    work.push_back(next);
  }
}

}  // namespace

std::vector<Work> work_of(const Recording& recording, HostTime origin, const WorkKind& kind) {
  std::vector<Work> work;
  for (const ActivityInterval& activity : recording.activity) {
    if (activity.kind != kind) continue;
    append(work, {seconds_between(origin, activity.begin), seconds_between(origin, activity.end)});
  }
  return work;
}

std::optional<std::vector<Work>> work_of_levels(const Recording& recording, HostTime origin) {
  std::vector<Work> work;
  for (const ActivityInterval& activity : recording.activity) {
    const auto& level = activity.kind.level;
    if (activity.kind != WorkKind{.level = level} || !level) return std::nullopt;
    append(work, {seconds_between(origin, activity.begin), seconds_between(origin, activity.end),
                  *level});
  }
  return work;
}

PowerSignal measured_power(const trace::MeterTrace& meter, HostTime origin) {
  const auto& samples = meter.samples;
  if (samples.empty()) return {0.0, {1.0, 1.0, 1.0}};
  PowerSignal power(samples.front().power_w, {1.0, 1.0, 1.0});
  for (std::size_t i = 0; i + 1 < samples.size();) {
    const HostTime begin = samples[i].time;
    double joules = 0.0;
    double length = 0.0;
    for (; i + 1 < samples.size() && length < kMeterBlock; ++i) {
      const double held = seconds_between(samples[i].time, samples[i + 1].time);
      joules += samples[i].power_w * held;
      length += held;
    }
    if (length > 0) power.append({seconds_between(origin, begin), joules / length, {}});
  }
  power.append({seconds_between(origin, samples.back().time), samples.back().power_w, {}});
  return power;
}

}  // namespace truewatt::identification
