#pragma once

#include <optional>
#include <random>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/characterize/characterization.hpp"
#include "truewatt/experiment/recording_session.hpp"
#include "truewatt/identification/profile/level_findings.hpp"
#include "truewatt/identification/profile/source_profile.hpp"

namespace truewatt::characterize {

/// The experiment of a characterization (docs/method.md, section 9): looks for the update periods,
/// warms an unsteady board up, then plays rounds of the work from which most is expected until
/// every source is known well enough or the budget is spent; and what is known so far. One thread;
/// everything that it is given must outlive it.
class Rounds {
 public:
  Rounds(experiment::Session& session, load::Load& load, const CharacterizeOptions& options);

  Result<void> run();
  /// Fits everything that was recorded once more, the sources that are known well too.
  void fit_all(const Recording& recording) { fit(recording, true); }

  HostTime origin() const { return origin_; }
  const std::vector<ActivityInterval>& activity() const { return activity_; }
  const std::vector<identification::Work>& work() const { return work_; }
  std::vector<identification::CharacterizedSource>& sources() { return sources_; }
  /// When the board was warmed up, for the recording.
  std::vector<CaptureEvent> events() const;

 private:
  void fit(const Recording& recording, bool all);
  /// A source as it is known, with everything that it showed of the work so far.
  identification::CharacterizedSource up_to_now(std::size_t i) const;
  std::vector<identification::Work> work_so_far() const;
  /// Warms the board up where its power would change too much in what is left of the budget.
  Result<void> be_steady();
  Result<void> play(const load::Schedule& schedule, HostTime begin);
  Seconds left() const;
  bool all_resolved() const;
  /// Slow sources would mix steps of unknown height into too much of what follows.
  bool forget_soon() const;
  void say_how_far() const;

  load::Load& load_;
  experiment::Session& session_;
  Clock& clock_;
  const CharacterizeOptions& options_;
  std::mt19937_64 rng_;
  HostTime began_;
  HostTime origin_;
  std::vector<ActivityInterval> activity_;
  std::vector<identification::Work> work_;
  std::vector<identification::CharacterizedSource> sources_;
  identification::LevelHeights heights_;
  int fits_ = 0;
  std::optional<Window> warmed_;
};

}  // namespace truewatt::characterize
