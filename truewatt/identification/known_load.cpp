#include "truewatt/identification/known_load.hpp"

#include <charconv>

namespace truewatt::identification {
namespace {

constexpr double kNoBreak = 1e-6;  // s

void append(std::vector<Work>& work, const Work& next) {
  const bool goes_on =
      !work.empty() && next.begin - work.back().end < kNoBreak && next.height == work.back().height;
  if (goes_on) {
    work.back().end = next.end;
  } else {
    work.push_back(next);
  }
}

std::optional<double> level_of(std::string_view label) {
  constexpr std::string_view kPrefix = "level=";
  if (!label.starts_with(kPrefix)) return std::nullopt;
  label.remove_prefix(kPrefix.size());
  double level = 0.0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), level);
  if (error != std::errc() || end != label.data() + label.size()) return std::nullopt;
  return level;
}

}  // namespace

std::vector<Work> work_of(const Recording& recording, HostTime origin, std::string_view level) {
  std::vector<Work> work;
  for (const ActivityInterval& activity : recording.activity) {
    if (activity.level != level) continue;
    append(work, {seconds_between(origin, activity.begin), seconds_between(origin, activity.end)});
  }
  return work;
}

std::optional<std::vector<Work>> work_of_levels(const Recording& recording, HostTime origin) {
  std::vector<Work> work;
  for (const ActivityInterval& activity : recording.activity) {
    const auto level = level_of(activity.level);
    if (!level) return std::nullopt;
    append(work, {seconds_between(origin, activity.begin), seconds_between(origin, activity.end),
                  *level});
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
