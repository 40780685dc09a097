#pragma once

#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/trace/trace.hpp"

// Counts that a counter cannot have counted.
namespace truewatt::energy {

/// Lets the readings of a counter, one a sample of `trace`, count on from where what they show says
/// nothing of the time before: it stood while it was read and did not make up for it, or nobody
/// read it for long and all that it shows may have been counted since then (these are
/// returned). `period`, s, is between readings, `limit_w` the most that the board may draw.
/// Pure.
std::vector<PerhapsAnew> begin_anew(std::vector<ObservedReading>& readings, const Trace& trace,
                                    double period, double limit_w);

/// Drops counters that counted what no board draws, but for one that did so a few times and stands
/// alone: what it counted at those times is left out. Pure.
void leave_out_leaping(ObservedBoard& board);

/// Lets the board's counters count on behind a leap: a count, one of few, half as fast again as all
/// other counts and as `shown_w`, the highest that a power source may have seen. What it was more
/// than a power source shows is noted in `board.leaps`. Nothing where no power source stands
/// beside. Pure.
void leave_out_leaps(ObservedBoard& board, double shown_w);

/// Notes in `board.leaps` by how much counts that may have begun anew differ from those beside
/// them, if they did not. Pure.
void note_perhaps(ObservedBoard& board);

}  // namespace truewatt::energy
