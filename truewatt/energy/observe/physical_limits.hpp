#pragma once

// What a board whose power limit is known cannot draw, and a counter not do.
namespace truewatt::energy {

/// No energy counter of a GPU is known to count more rarely than every so many seconds.
inline constexpr double kSlowestTick = 0.1;

/// The most that is shown of a board whose limit is `limit_w`, W: it draws more for milliseconds,
/// before it is regulated, but what looks at ten milliseconds or more does not show twice as much.
/// Pure.
double most_shown(double limit_w);

/// The most joules that it draws in `seconds`: PCI Express CEM 5.0 lets a card draw three times its
/// rated power for 0.1 ms and less the longer it takes, down to that for a second. A quarter is
/// left to regulation. Pure.
double most_drawn_in(double seconds, double limit_w);

}  // namespace truewatt::energy
