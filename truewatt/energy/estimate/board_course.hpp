#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/estimate/hidden_bursts.hpp"
#include "truewatt/energy/estimate/lock_doubt.hpp"
#include "truewatt/energy/estimate/quiet.hpp"
#include "truewatt/energy/estimate/source_votes.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/energy/results/results.hpp"

namespace truewatt::energy {

/// One board's course of power, the sources that it rests on after physics and votes, and what its
/// windows may be off by beside what the course itself knows (docs/method.md, sections 5 and 6).
/// The recording and the profiles of the knowledge must outlive it. Pure; any thread.
class BoardCourse {
 public:
  /// By `source` alone, if there is one. `marks` are windows whose edges somebody set.
  BoardCourse(const Recording& recording, const Knowledge& knowledge,
              const std::optional<SourceId>& source, std::span<const Window> marks);
  BoardCourse(const BoardCourse&) = delete;
  BoardCourse& operator=(const BoardCourse&) = delete;

  /// Whether any source is left.
  bool has_course() const { return course_.has_value(); }
  /// Sources contradict each other in all of the recording, and nothing says which is right.
  bool disagree() const { return disagree_; }
  const CourseHints& hints() const { return hints_; }
  const LockDoubt& locks() const { return *locks_; }
  const std::vector<DroppedSource>& dropped() const { return dropped_; }
  /// How often readings were smoothed for it.
  int passes() const { return passes_; }

  /// A window in seconds of the course, and its time on the host's axis.
  CourseWindow placed(const Window& window) const;
  HostTime at(double seconds) const;

  /// All from here on need has_course().
  const EnergyCourse& course() const { return *course_; }
  const ObservedBoard& board() const { return course_->board(); }
  const IdleStretches& idle() const { return *idle_; }

  /// A counter and a power source contradict each other within the window, or a counter may be in
  /// step with what ran.
  bool is_counter_in_doubt(const CourseWindow& asked, const Window& window) const;
  /// J in a window by which sources differ as if one had a wrong gain: by more than gains scatter,
  /// at rest as at work, where work in step would hide nothing at rest.
  double wrong_gain_j(const CourseWindow& window, double joules) const;
  /// J in a window by which gains that nobody measured may make its sources differ.
  double explained_by_gains_j(const CourseWindow& window, double joules) const;
  /// What a window may be off by beside what its course knows, J: always the same causes.
  std::vector<uncertainty::Term> terms_beside(const CourseWindow& window, double joules,
                                              double hidden_j, double by_gains_j) const;
  /// Of work shorter than the readings are apart, J, in so many seconds.
  double between_looks_sd(double seconds) const;

 private:
  void leave_out_misfits();
  bool leave_out_odd_levels();
  void believe_one_where_none_agrees(const SourceVotes& votes);
  void see_by(ObservedBoard board);
  double sampled_sd(const CourseWindow& window, double joules) const;
  double left_out_sd(const CourseWindow& window, double joules) const;

  HostTime origin_;
  CourseHints hints_;
  std::vector<DroppedSource> dropped_;
  std::vector<ObservedSource> left_out_;      ///< of these: whose readings are another model's
  std::vector<CourseWindow> contradictions_;  ///< stretches in which sources contradict each other
  bool disagree_ = false;
  double apart_ = 0.0;  ///< SourceVotes::apart
  int passes_ = 0;
  std::optional<EnergyCourse> course_;
  std::optional<IdleStretches> idle_;
  std::optional<LockDoubt> locks_;
  std::optional<HiddenBursts> bursts_;  ///< where nobody knows what ran
};

}  // namespace truewatt::energy
