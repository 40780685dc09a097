#include <algorithm>

#include "truewatt/base/format.hpp"
#include "truewatt/study/cached_sources.hpp"
#include "truewatt/study/characterization.hpp"
#include "truewatt/study/conclusions.hpp"
#include "truewatt/study/limited_clocks.hpp"

namespace truewatt::study {

Result<Characterization> characterize_recorded(const Recording& recording) {
  const auto& activity = recording.activity;
  if (activity.empty()) {
    return Unexpected(Errc::insufficient_data,
                      "the recording does not say when a load ran: it was cut short, or is none "
                      "of a characterization");
  }
  const bool mixed = std::any_of(activity.begin(), activity.end(), [&](const auto& one) {
    return one.level != activity.front().level;
  });
  if (mixed) {
    return Unexpected(Errc::unsupported,
                      "several kinds of load were played; which readings are of which is only "
                      "known while it runs");
  }
  Characterization result;
  result.recording = recording;
  result.origin = HostTime::max();
  HostTime end = HostTime::min();
  for (const Trace& trace : recording.traces) {
    if (trace.samples.empty()) continue;
    result.origin = std::min(result.origin, trace.samples.front().before);
    end = std::max(end, trace.samples.back().seen);
  }
  if (result.origin == HostTime::max()) {
    return Unexpected(Errc::insufficient_data, "the recording holds no reading");
  }
  result.work = identification::work_of(recording, result.origin, activity.front().level);
  const auto limited = limited_stretches(recording, result.origin);
  for (const Trace& trace : recording.traces) {
    result.sources.push_back(characterize_source(without(trace, limited, result.origin),
                                                 result.origin, result.work,
                                                 result.work.front().begin + kSettled));
  }
  allow_for_held_readings(result.sources, result.work);
  allow_for_host_clock(result);
  for (const CharacterizedSource& source : result.sources) {
    result.profile.sources.push_back(source.profile);
  }
  add_refused(result.profile, recording);
  result.profile.device = recording.device;
  result.profile.duration_s = std::max(0.0, seconds_between(result.origin, end));
  if (!recording.clock_pairs.empty()) {
    result.profile.created = format_utc(recording.clock_pairs.back().driver);
  }
  result.notes.emplace_back("every source was fitted again from the recording");
  conclude(result);
  return result;
}

}  // namespace truewatt::study
