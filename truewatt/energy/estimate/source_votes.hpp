#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/results/results.hpp"

// Sources of one board that contradict each other.
namespace truewatt::energy {

/// What became of them.
struct SourceVotes {
  std::vector<DroppedSource> dropped;
  bool disagree = false;  ///< they contradict each other, and nothing says which is right
  /// Of the energy, by how much another one differs from the first at most where that is more than
  /// gains of one board's sources scatter by (kRelativeGain); else 0.
  double apart = 0.0;
  int passes = 0;                                     ///< how often readings were smoothed for it
  CourseWindow span;                                  ///< that every source has read
  std::vector<std::pair<SourceId, double>> joules{};  ///< of it by each source alone
};

/// Removes a source that contradicts most of the others about the energy of all that every source
/// has read, witnesses included, until none does, and one that would if no load could hide from any
/// of them, where all others agree. Of two that do nothing says which is right. Where
/// only witnesses are left they agree, and are believed. Pure.
SourceVotes drop_odd_ones(ObservedBoard& board, const CourseHints& hints);

/// The power sources that go by published behaviour alone, if they do not fit together with others
/// that would be left: their readings are not of the model that is published. Pure.
std::vector<SourceId> misfits_of(const EnergyCourse& course);

/// The source that sees most of its time, where sources that nobody characterized together make an
/// energy of all that was read that lies outside of what each makes of it: their readings do not
/// fit together, though sums of them do. Pure.
std::optional<SourceId> alone_where_none_agrees(const EnergyCourse& course,
                                                const SourceVotes& votes);

/// Whether sources show other levels than each other by more than what boards scatter by: one sees
/// something else, a module, say, whose idle is another one. Pure.
bool levels_disagree(const EnergyCourse& course);

/// Joules of a window by which gain and offset of another source in the board's course move it at
/// most; 0 where that is no more than gains scatter by. Pure.
double shown_by_gains_j(const EnergyCourse& course, const CourseWindow& window, double joules);

/// The source that shows other levels than all others, of which there are two or more and which
/// agree. Pure.
std::optional<SourceId> odd_level(const EnergyCourse& course);

}  // namespace truewatt::energy
