#pragma once

#include <optional>
#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/former/tail.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::energy {

// How old the energy in a reading is (delay + time constant + half the averaging window), from a
// profile, from the recording, or from the recording with what is published about the source as
// prior (docs/method.md, section 5, "Published behaviour"). Pure functions.

/// Age of the energy in a reading that settles within its first tick after the load: a 13 ms filter
/// read 1-2 ms late, as measured on an H200, known to its own size.
inline constexpr Uncertain kUsualAge{0.015, 0.015};

/// Seconds, with the 95 % interval of the published delay, time constant and half the window.
/// Nothing where neither period nor delay is published (`estimated` sources).
std::optional<Interval> published_age(const SourceProfile& published);

/// False when the recorded update period lies outside the published one and is no multiple of it
/// (equal consecutive values look like one long interval). Nothing when polls were too far apart to
/// tell.
std::optional<bool> period_agrees(const SourceProfile& published, const Interval& recorded_s,
                                  std::span<const ticks::Tick> ticks);

/// What the recording tells of the age.
struct RecordedAge {
  double settle_s = 0.0;  ///< from the window's end to steady idle; 0: the first stretch is steady
  bool fell_at_end = false;            ///< the load was on until the window's end
  std::optional<double> least_late_s;  ///< both at the begin and after the end it shows the load at
                                       ///< least so late; the board's own rise and tail included
  double update_period_s = 0.1;
};

/// What is seen at the two edges of a window.
struct WindowEdges {
  Limits limits;
  Tail tail;
  double settle_s = 0.0;
  double before_w = 0.0;  ///< idle power before
};
RecordedAge recorded_age(std::span<const Stretch> all, const PaddedInput& input,
                         const WindowEdges& edges);

struct SourceAge {
  Uncertain age_s;
  std::optional<bool> published_agrees;  ///< absent: nothing published, or nothing to hold it to
};

/// From the recording alone: uniform from 0 to the time that the source took to settle.
SourceAge age_from(const RecordedAge& recorded);
/// With a published age as prior: its value, where the recording allows it, and never less
/// uncertain than the recording alone. A source that settles sooner than the published age allows,
/// or shows the load later than it and any board's rise explain, is not the published one: the
/// recording wins.
SourceAge age_from(const RecordedAge& recorded, const Interval& published_s);

}  // namespace truewatt::energy
