#include <algorithm>

#include "truewatt/base/format.hpp"
#include "truewatt/characterize/characterization.hpp"
#include "truewatt/identification/profile/cached_sources.hpp"
#include "truewatt/identification/profile/conclusions.hpp"
#include "truewatt/identification/profile/level_findings.hpp"
#include "truewatt/identification/profile/limited_clocks.hpp"
#include "truewatt/identification/profile/steadiness.hpp"

namespace truewatt::characterize {

Result<identification::Characterization> characterize_recorded(const Recording& recording) {
  const auto& activity = recording.activity;
  if (activity.empty()) {
    return Unexpected(Errc::insufficient_data,
                      "the recording does not say when a load ran: it was cut short, or is none "
                      "of a characterization");
  }
  const auto levels = [&](HostTime origin) {
    const bool alike = std::all_of(activity.begin(), activity.end(), [&](const auto& one) {
      return one.kind == activity.front().kind;
    });
    return alike ? identification::work_of(recording, origin, activity.front().kind)
                 : identification::work_of_levels(recording, origin);
  };
  if (!levels(HostTime())) {
    return Unexpected(Errc::unsupported,
                      "several kinds of load were played; which readings are of which is only "
                      "known while it runs");
  }
  identification::Characterization result;
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
  const auto nominal = *levels(result.origin);
  const auto limited = identification::limited_stretches(recording, result.origin);
  const auto warm_up = identification::warm_up_of(recording, result.origin);
  const double from = warm_up ? warm_up->end : nominal.front().begin + identification::kSettled;
  const auto fit_all = [&](const std::vector<identification::CharacterizedSource>& earlier) {
    std::vector<identification::CharacterizedSource> sources;
    for (std::size_t i = 0; i < recording.traces.size(); ++i) {
      sources.push_back(identification::characterize_source(
          identification::without(recording.traces[i], limited, result.origin), result.origin,
          result.work, from, earlier.empty() ? nullptr : &earlier[i]));
    }
    return sources;
  };
  result.work = nominal;
  result.sources = fit_all({});
  // Once more with the heights of the levels that the first fit shows.
  const identification::LevelHeights heights =
      identification::add_level_findings(result.sources, nominal);
  if (!heights.empty()) {
    result.work = identification::with_heights(nominal, heights);
    result.sources = fit_all(result.sources);
    identification::add_level_findings(result.sources, nominal);
  }
  identification::allow_for_held_readings(result.sources, result.work);
  identification::allow_for_host_clock(result);
  for (const identification::CharacterizedSource& source : result.sources) {
    result.profile.sources.push_back(source.profile);
  }
  identification::add_refused(result.profile, recording);
  result.profile.device = recording.device;
  result.profile.duration_s = std::max(0.0, seconds_between(result.origin, end));
  if (!recording.clock_pairs.empty()) {
    result.profile.created = format_utc(recording.clock_pairs.back().driver);
  }
  result.notes.emplace_back("every source was fitted again from the recording");
  identification::conclude(result);
  return result;
}

}  // namespace truewatt::characterize
