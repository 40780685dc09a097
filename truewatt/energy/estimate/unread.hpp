#pragma once

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/observe/observed_board.hpp"

/// What is open of a window since no source was read for some of it (docs/method.md, section 8).
/// Pure functions.
namespace truewatt::energy {

/// Seconds of the window that no source looked at. Of a part of what only a counter's sum tells,
/// those that the sum leaves open.
double unread_within(const EnergyCourse& course, const CourseWindow& window);

/// Whether what the board may have drawn while nobody looked, up to its limit, is more than this
/// share of the window's `joules`: what it was seen to draw then says nothing of it.
bool hides_unread(const EnergyCourse& course, const CourseWindow& window, double joules,
                  double share);

/// Joules: while nobody looked the board drew anything between the least and the most that it was
/// seen to, and as much as a counter counted beside where one did.
double unread_sd(const EnergyCourse& course, const CourseWindow& window);

/// Whether a counter counted within the window what no board draws.
bool holds_impossible(const ObservedBoard& board, const CourseWindow& window);

/// The energy of `length` seconds. Where the interval that readings leave is twice as wide as all
/// that the board can have drawn, from the least that was read to the most that it may, they tell
/// nothing of it: the interval is that.
CourseEnergy within_reach(const ObservedBoard& board, double length, CourseEnergy energy);

/// Joules that a counter leapt by within the window, which nothing else shows.
double leapt_within(const ObservedBoard& board, const CourseWindow& window);

}  // namespace truewatt::energy
