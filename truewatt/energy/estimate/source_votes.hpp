#pragma once

#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/results/results.hpp"

// Sources of one board that contradict each other.
namespace truewatt::energy {

/// What became of them.
struct SourceVotes {
  std::vector<DroppedSource> dropped;
  bool disagree = false;  ///< they contradict each other, and nothing says which is right
  int passes = 0;         ///< how often readings were smoothed for it
};

/// Removes a source that contradicts most of the others about the energy of all that every source
/// has read, witnesses included, until none does. Of two that do nothing says which is right. Where
/// only witnesses are left they agree, and are believed. Pure.
SourceVotes drop_odd_ones(ObservedBoard& board, const CourseHints& hints);

/// The power sources that go by published behaviour alone, if they do not fit together with others
/// that would be left: their readings are not of the model that is published. Pure.
std::vector<SourceId> misfits_of(const EnergyCourse& course);

/// Whether a source shows other levels than the others by more than what boards scatter by: it sees
/// something else, a module, say, whose idle is another one. Pure.
bool levels_disagree(const EnergyCourse& course);

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
