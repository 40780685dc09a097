#pragma once

#include <optional>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// One source's readings of known work and what follows from them.
struct CharacterizedSource {
  SourceProfile profile;
  /// Those fitted, W, seconds on the work's axis; of an energy counter mean power between ticks.
  std::vector<ticks::Tick> readings;
  /// Of work below full, whose power only they tell, and of a little after: not fitted with them.
  std::vector<ticks::Tick> level_readings;
  std::optional<ObservationFit> fit;
  double jitter_s = 0.0;       ///< by which readings' times stray beyond what is known of them
  double counted_age_s = 0.0;  ///< energy counters: mean age of what is counted at a tick
};

/// What a context changes at its begin is forgotten so long after the first work began, s.
inline constexpr double kSettled = 2.0;

/// Profile of one source from its trace and when the load worked. Readings before `from` (seconds
/// after `origin`) are not fitted. `earlier`, the same source's with fewer readings, shortens the
/// search. What the readings do not tell is absent, with a reason. Pure.
CharacterizedSource characterize_source(const Trace& trace, HostTime origin,
                                        const std::vector<Work>& work, double from,
                                        const CharacterizedSource* earlier = nullptr);

/// What a source that was characterized as `known` showed since it forgot what was before the first
/// work: its readings as characterize_source takes them. Pure.
std::vector<ticks::Tick> readings_of_work(const Trace& trace, HostTime origin,
                                          const std::vector<Work>& work,
                                          const CharacterizedSource& known);

/// Every publication of the source so profiled, also those before anything was fitted; behind a
/// client's cache every refresh.
std::vector<ticks::Tick> publications_of(const Trace& trace, HostTime origin,
                                         const SourceProfile& profile);

/// Everything read of known work, in order of time: what was fitted and what was put aside.
std::vector<ticks::Tick> all_readings(const CharacterizedSource& source);

/// Moves the ends and the value of the delay, and with it of total lag and age, s. All must be
/// there.
void be_later(SourceProfile& profile, const Interval& by);

/// Writes what `source.fit`, which must be there, says into the profile: window, delay, time
/// constant, rise time, response, duty, verdict, and the reasons for what stays open.
void describe_fit(CharacterizedSource& source);

/// True when window and time constant are known to `share` of what a profile asks for, or when more
/// readings could not help.
bool is_resolved(const CharacterizedSource& source, double share = 1.0);

/// Device time in seconds after which a source that took `duration_s` would be resolved: intervals
/// shrink with the root of it. Nothing for one that is resolved, one that was bounded from above
/// only, or beyond an hour.
std::optional<double> time_to_resolve(const CharacterizedSource& source, double duration_s);

/// How far a fit is from that, by what is expected of it: at most 1 when it will be resolved.
double distance_to_resolved(const JointFit& fit, const Expected& expected);

}  // namespace truewatt::identification
