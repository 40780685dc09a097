#pragma once

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/observe/observed_board.hpp"

/// What is open of a window since no source was read for some of it (docs/method.md, section 8).
/// Pure functions.
namespace truewatt::energy {

/// Seconds of the window that no source looked at.
double unread_within(const ObservedBoard& board, const CourseWindow& window);

/// Whether what the board may have drawn while nobody looked, up to its limit, is more than this
/// share of the window's `joules`: what it was seen to draw then says nothing of it.
bool hides_unread(const ObservedBoard& board, const CourseWindow& window, double joules,
                  double share);

/// Joules: while nobody looked the board drew anything between the least and the most that it was
/// seen to.
double unread_sd(const ObservedBoard& board, const CourseWindow& window);

/// Joules that a counter leapt by within the window, which nothing else shows.
double leapt_within(const ObservedBoard& board, const CourseWindow& window);

}  // namespace truewatt::energy
