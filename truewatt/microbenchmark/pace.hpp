#pragma once

#include <optional>

#include "truewatt/base/units.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::microbenchmark {

/// How fast kernels may follow one another.
struct Pace {
  Seconds settles{0.1};   ///< from a kernel's begin until its power counts
  Seconds shortest{0.3};  ///< stretch of a kernel
  Seconds idle{1.1};      ///< on either side of the kernels
};

/// Boards may rise in some tenths of a second, and sensors be slower still. Where a sensor was seen
/// to show a whole step in less, the board is up by then: stretches may be shorter, and more of
/// them tell more of what differs from one stretch to the next (an H100 draws 2 % more or less, and
/// within a stretch 0.4 %). Where the board itself rises slowly or overshoots, surely and by a
/// twentieth of its step as it seems, all but 1 % of that is waited for, 3 s at most. Where the
/// window (the longest that was not excluded, 1 s where nothing tells) and the update period of the
/// fastest sensor are together longer than what counts of a stretch, no reading shows one alone:
/// stretches are then twice as long as both. `profile` may be null. Pure.
Pace pace_of(const Profile* profile);

/// Whether a power limit that lowers a stretch's clock is that which the stretch before met: a
/// board takes some tenths of a second to let its clock back (an H100 0.2 to 0.3 s). What meets a
/// limit itself draws about as much. `held`: drawn by the stretch before, where a limit held it or
/// it was near the power limit. Pure.
bool is_still_held(std::optional<Watts> held, Watts power);

/// Whether the driver may lower clocks at this power now and then (H200s of 700 W beside loops of
/// 675 W). False where no limit is known. Pure.
bool is_near_limit(Watts power, std::optional<Watts> limit);

}  // namespace truewatt::microbenchmark
