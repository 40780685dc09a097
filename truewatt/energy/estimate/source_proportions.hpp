#pragma once

#include <vector>

#include "truewatt/energy/course/energy_course.hpp"

// What a counter counts of what a power source of the same board shows.
namespace truewatt::energy {

/// Two sources that differ by more standard uncertainties than this disagree (0.1 % by chance).
inline constexpr double kDisagree = 3.29;
/// What sources of one board that were not compared with each other scatter by, of the energy.
inline constexpr double kRelativeGain = 0.025;

/// By how much a power source's readings differ at most, W. Pure.
double swing_of(const ObservedSource& power);

/// Joules that a power source's readings show in a span, evenly between each two. Pure.
double shown_within(const ObservedSource& power, const CourseWindow& span);

/// Whether within a window what a counter counted and what a power source showed differ by more
/// than gains, offsets and edges explain, or, of sources that nobody characterized, whether they
/// are in some stretch of it in another proportion than in most of the recording. Either work kept
/// in step with the power's readings, or the counter counts wrong: nothing says which. Pure.
bool counted_and_shown_differ(const ObservedBoard& board, const CourseWindow& window);

/// Stretches of some seconds in which a counter and a power source, neither of them characterized,
/// are in another proportion than in most of the recording: as above. Pure.
std::vector<CourseWindow> contradictions_of(const ObservedBoard& board);

}  // namespace truewatt::energy
