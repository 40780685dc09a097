#include "truewatt/identification/profile/recording_profile.hpp"

#include <algorithm>

#include "truewatt/identification/profile/earlier_load.hpp"
#include "truewatt/identification/profile/source_profile.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {
namespace {

/// With so many stretches those before the first one is `kSettled` old are not needed.
constexpr std::size_t kManyStretches = 20;
/// Seven unknowns (window, delay, lag, and the board's rise and overshoot with their shares) shape
/// an edge; fewer readings of edges than these and three more fit any of them.
constexpr std::size_t kFewestAtEdges = 10;

std::optional<SourceProfile> profile_of(const Trace& trace, const Recording& recording,
                                        HostTime origin) {
  const auto work = work_in(recording, origin);
  const auto from = shows_only(work, ticks::publications(trace, origin), recording, origin);
  if (!from) return std::nullopt;
  CharacterizedSource source = characterize_source(trace, origin, work, *from);
  if (!source.fit || !tells_edges(*source.fit, source.readings, work)) return std::nullopt;
  return std::move(source.profile);
}

}  // namespace

std::vector<Work> work_in(const Recording& recording, HostTime origin) {
  const auto& activity = recording.activity;
  if (!activity.empty()) {
    const bool alike = std::all_of(activity.begin(), activity.end(), [&](const auto& one) {
      return one.kind == activity.front().kind;
    });
    if (!alike) return {};
    return work_of(recording, origin, activity.front().kind);
  }
  std::vector<Work> windows;
  for (const Window& window : recording.windows) {
    windows.push_back({seconds_between(origin, window.begin), seconds_between(origin, window.end)});
  }
  std::sort(windows.begin(), windows.end(),
            [](const Work& a, const Work& b) { return a.begin < b.begin; });
  std::vector<Work> work;
  for (const Work& window : windows) {
    if (!work.empty() && window.begin < work.back().end) {
      work.back().end = std::max(work.back().end, window.end);
    } else {
      work.push_back(window);
    }
  }
  return work;
}

HostTime with_work(HostTime time, const Recording& recording) {
  for (const ActivityInterval& one : recording.activity) time = std::min(time, one.begin);
  for (const Window& one : recording.windows) time = std::min(time, one.begin);
  return time;
}

std::optional<double> shows_only(const std::vector<Work>& work,
                                 const std::vector<ticks::Tick>& readings,
                                 const Recording& recording, HostTime origin) {
  if (work.empty()) return std::nullopt;
  const bool many = work.size() > kManyStretches;
  const double settled = work.front().begin + kSettled;
  if (many && !recording.activity.empty()) return settled;
  const auto kept = without_earlier_load(readings, work, asked_from(recording, origin));
  if (!kept.empty()) return kept.front().time;
  return many ? std::optional(settled) : std::nullopt;
}

bool tells_edges(const ObservationFit& fit, const std::vector<ticks::Tick>& readings,
                 const std::vector<Work>& work) {
  return readings_at_edges(fit.joint, readings, work) >= kFewestAtEdges;
}

std::optional<Profile> profile_of_recording(const Recording& recording) {
  HostTime origin = HostTime::max();
  for (const Trace& trace : recording.traces) {
    if (!trace.samples.empty()) origin = std::min(origin, trace.begin);
  }
  origin = with_work(origin, recording);
  Profile profile;
  profile.device = recording.device;
  for (const Trace& trace : recording.traces) {
    if (trace.samples.empty() || trace.source.scope != Scope::gpu) continue;
    auto source = profile_of(trace, recording, origin);
    if (source) profile.sources.push_back(std::move(*source));
  }
  if (profile.sources.empty()) return std::nullopt;
  return profile;
}

}  // namespace truewatt::identification
