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

}  // namespace truewatt::identification
